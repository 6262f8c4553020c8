package requests

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/domain/parse"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// withPlace is the address of the page after a position. A position has a request's
// identifier and time, and no name.
func withPlace(address *url.URL, place projections.InboxPlace) string {
	query := address.Query()
	query.Set("after", fmt.Sprintf("%t_%d_%s", place.Urgent, place.At.UnixMicro(), place.Request))
	return address.Path + "?" + query.Encode()
}

// placeOf parses a position. An invalid one is the beginning.
func placeOf(text string) projections.InboxPlace {
	parts := strings.Split(text, "_")
	if len(parts) != 3 {
		return projections.InboxPlace{}
	}
	urgent, noBool := strconv.ParseBool(parts[0])
	at, noTime := strconv.ParseInt(parts[1], 10, 64)
	id, ok := parse.ID(parts[2])
	if noBool != nil || noTime != nil || !ok {
		return projections.InboxPlace{}
	}
	return projections.InboxPlace{Urgent: urgent, At: time.UnixMicro(at).UTC(), Request: request.ID{UUID: id}}
}

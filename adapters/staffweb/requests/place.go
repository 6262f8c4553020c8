package requests

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/domain/request"
	"frontdesk/domain/written"
	"frontdesk/projections"
)

// withPlace is the address of the page behind a place. A place names a request by its
// identifier and when it came, and nobody.
func withPlace(address *url.URL, place projections.InboxPlace) string {
	query := address.Query()
	query.Set("after", fmt.Sprintf("%t_%d_%s", place.Urgent, place.At.UnixMicro(), place.Request))
	return address.Path + "?" + query.Encode()
}

// placeOf reads such a place. What is none is the beginning.
func placeOf(text string) projections.InboxPlace {
	parts := strings.Split(text, "_")
	if len(parts) != 3 {
		return projections.InboxPlace{}
	}
	urgent, noBool := strconv.ParseBool(parts[0])
	at, noTime := strconv.ParseInt(parts[1], 10, 64)
	id, ok := written.ID(parts[2])
	if noBool != nil || noTime != nil || !ok {
		return projections.InboxPlace{}
	}
	return projections.InboxPlace{Urgent: urgent, At: time.UnixMicro(at).UTC(), Request: request.ID{UUID: id}}
}

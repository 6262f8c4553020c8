package httpapi_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// Anyone can make calls that are refused, so such lines are limited.
func TestStrangersDoNotFillTheLog_D108(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	log := func(api *httpapi.API) {
		api.Log, api.Now = slog.New(slog.NewTextHandler(&said, nil)), func() time.Time { return noon }
	}
	strangers := newAsked(t, asApplicationOf(1), func(api *httpapi.API) {
		log(api)
		api.Recognise = func(context.Context, []string, string, access.Endpoint) (func(context.Context) (access.Caller, error), error) {
			return nil, fault.New(fault.Forbidden, "unauthorized", "Nobody knows you.")
		}
	})
	known := newAsked(t, asApplicationOf(1), log)
	const calls, most = 500, 50
	for name, c := range map[string]struct {
		by     *asked
		status int
		lines  int
	}{"strangers": {strangers, http.StatusForbidden, most}, "an application": {known, http.StatusOK, calls}} {
		said.Reset()
		for range calls {
			if got := c.by.ask("GET", "ping", "").Code; got != c.status {
				t.Fatalf("%s are answered %d", name, got)
			}
		}
		if got := strings.Count(said.String(), "msg=call "); got != c.lines {
			t.Errorf("%d calls of %s have %d lines, want %d", calls, name, got, c.lines)
		}
	}
	noon = noon.Add(time.Second)
	said.Reset()
	if strangers.ask("GET", "ping", ""); !strings.Contains(said.String(), "code=unauthorized") {
		t.Errorf("a second later it says %q", &said)
	}
}

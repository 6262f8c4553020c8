package httpapi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections/applications"
)

// mirror is an API in which an application sees its own calls. Each call and refusal
// has the number of its request id.
type mirror struct {
	t          *testing.T
	api        *httpapi.API
	caller     access.Caller
	calls      []access.OwnCall // newest first
	unproven   []access.OwnCall
	deliveries applications.Page[applications.Delivery]
	asked      applications.DeliveryFilter
	keys       map[event.Digest][]access.OwnCall
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	m := &mirror{t: t, caller: proven(asApplication)}
	m.caller.Known = true
	m.api = (&desk{caller: m.caller}).api(practiceDay(t))
	m.api.Now = atWritten
	m.api.Own = httpapi.Own{
		Calls: m.page, Call: m.call, WithKey: m.withKey, Unproven: func(application.ID, string) []access.OwnCall { return slices.Clone(m.unproven) },
		Deliveries: func(_ context.Context, asked applications.DeliveryFilter) (applications.Page[applications.Delivery], error) {
			m.asked = asked
			return m.deliveries, nil
		},
		Outcomes: []string{"delivered", "failed"}, Why: func(reason string) string { return "Because of " + reason + "." }, Cursors: httpapi.Cursors{Keys: func() [][32]byte { return [][32]byte{{1}} }},
	}
	return m
}

func (m *mirror) page(_ context.Context, b applications.Bounds, answered, refused bool) (page applications.Page[access.OwnCall], err error) {
	for _, c := range m.calls {
		wanted := answered && c.Status < 400 || refused && c.Status >= 400
		if wanted && (b.Before == uuid.Nil || bytes.Compare(c.RequestID[:], b.Before[:]) < 0) && len(page.Rows) < b.Limit {
			page.Rows, page.Before = append(page.Rows, c), c.RequestID
		}
	}
	if len(page.Rows) < b.Limit {
		page.Before = uuid.Nil
	}
	return page, nil
}

func (m *mirror) call(_ context.Context, _ string, _ application.ID, id uuid.UUID) (*access.OwnCall, error) {
	if at := slices.IndexFunc(m.calls, func(c access.OwnCall) bool { return c.RequestID == id }); at >= 0 {
		return &m.calls[at], nil
	}
	return nil, nil
}

func (m *mirror) withKey(_ context.Context, _ string, _ application.ID, key event.Digest, limit int) ([]access.OwnCall, error) {
	return m.keys[key][:min(limit, len(m.keys[key]))], nil
}

func numbered(n uint64) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

var atNoon = written.Truncate(time.Second)

// made adds a call, answered or refused.
func (m *mirror) made(n uint64, status int) {
	m.calls = slices.Insert(m.calls, 0, access.OwnCall{RequestID: numbered(n), At: atNoon, Endpoint: "create-note", Mode: "user-restricted", Status: status, Took: new(7 * time.Millisecond)})
}

// forged adds a refusal before a signature was verified.
func (m *mirror) forged(n uint64, endpoint application.EndpointName) {
	m.unproven = slices.Insert(m.unproven, 0, access.OwnCall{RequestID: numbered(n), At: atNoon, Endpoint: endpoint, Status: 403, Code: "unauthorized", Reason: "old", Rule: "expired", Unproven: true})
}

// ask makes a call, and returns the answer.
func (m *mirror) ask(path string, query ...string) *httptest.ResponseRecorder {
	m.t.Helper()
	values := url.Values{}
	for n := 0; n < len(query); n += 2 {
		values.Add(query[n], query[n+1])
	}
	answer := httptest.NewRecorder()
	m.api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(m.t.Context(), http.MethodGet, "http://elm-street.frontdesk.example/transactional-api/application/"+path+"?"+values.Encode(), http.NoBody))
	return answer
}

// shown is a page of calls by number; unproven ones are negative.
func (m *mirror) shown(query ...string) (numbers []int64, next string) {
	m.t.Helper()
	answer := m.ask("calls", query...)
	var page struct {
		Calls []struct {
			RequestID uuid.UUID
			Unproven  bool
		}
		Next string
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != http.StatusOK {
		m.t.Fatalf("%v is answered %d %s", query, answer.Code, answer.Body)
	}
	for _, c := range page.Calls {
		n := int64(binary.BigEndian.Uint64(c.RequestID[8:]))
		if c.Unproven {
			n = -n
		}
		numbers = append(numbers, n)
	}
	return numbers, page.Next
}

// through pages through all calls.
func (m *mirror) through(query ...string) (pages [][]int64) {
	m.t.Helper()
	for next := ""; ; {
		var numbers []int64
		numbers, next = m.shown(append([]string{"cursor", next}, query...)...)
		if pages = append(pages, numbers); next == "" {
			return pages
		}
	}
}

// as is the same API for another application or practice.
func (m *mirror) as(app application.ID, tenant string) *mirror {
	m.t.Helper()
	other := newMirror(m.t)
	other.caller.Application, other.caller.Tenant = app, tenant
	api := (&desk{caller: other.caller}).api(practiceDay(m.t))
	api.Own, other.api = other.api.Own, api
	return other
}

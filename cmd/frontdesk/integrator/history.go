package integrator

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"frontdesk/domain/application"
)

// Call is one call of the application, as it was judged.
type Call struct {
	RequestID   string                   `json:"requestId"`
	At          time.Time                `json:"at"`
	Endpoint    application.EndpointName `json:"endpoint"`
	Mode        application.Mode         `json:"mode,omitzero"`
	Status      int                      `json:"status"`
	Code        string                   `json:"code,omitzero"`
	Description string                   `json:"description,omitzero"` // says what to do
	Rule        string                   `json:"rule,omitzero"`
	DurationMS  float64                  `json:"durationMs,omitzero"`
	Unproven    bool                     `json:"unproven"` // refused before the signature held: anybody may have sent it
}

// CallsPage is a page of calls, newest first.
type CallsPage struct {
	Calls []Call `json:"calls"`
	Next  string `json:"next"` // the cursor of the page after it; "" for none
}

// CallsQuery says which calls; its zero value asks for the newest of all.
type CallsQuery struct {
	Limit     int // 1 to 200; 0 for the service's own
	Cursor    string
	Status    string // all, answered, refused or unproven
	RequestID string
}

// Calls asks how calls went.
func (c Client) Calls(ctx context.Context, q CallsQuery) (page CallsPage, err error) {
	query := given(map[string]string{"cursor": q.Cursor, "status": q.Status, "requestId": q.RequestID, "limit": number(q.Limit)})
	err = c.get(ctx, "application/calls", query, &page)
	return page, err
}

// Delivery is one webhook for the application.
type Delivery struct {
	JTI         string    `json:"jti"`
	Event       string    `json:"event"`        // a kind of event, or ping
	URL         string    `json:"url,omitzero"` // as it was then
	Outcome     string    `json:"outcome"`
	Reason      string    `json:"reason,omitzero"`
	Description string    `json:"description,omitzero"`
	HappenedAt  time.Time `json:"happenedAt"`
	SentAt      time.Time `json:"sentAt,omitzero"`
	FinishedAt  time.Time `json:"finishedAt,omitzero"`
	DurationMS  float64   `json:"durationMs,omitzero"`
	Status      int       `json:"status,omitzero"` // 0 if there was no answer
}

// DeliveriesPage is a page of deliveries, newest first.
type DeliveriesPage struct {
	Deliveries []Delivery `json:"deliveries"`
	Next       string     `json:"next"` // the cursor of the page after it; "" for none
}

// DeliveriesQuery says which deliveries; its zero value asks for the newest of all.
type DeliveriesQuery struct {
	Limit       int // 1 to 200; 0 for the service's own
	Cursor      string
	JTI         string
	From, Until time.Time
	Outcome     string
}

// Deliveries asks how webhooks went.
func (c Client) Deliveries(ctx context.Context, q DeliveriesQuery) (page DeliveriesPage, err error) {
	query := given(map[string]string{
		"cursor": q.Cursor, "jti": q.JTI, "outcome": q.Outcome, "limit": number(q.Limit), "from": instant(q.From), "until": instant(q.Until),
	})
	err = c.get(ctx, "application/deliveries", query, &page)
	return page, err
}

// given leaves out what was not asked for.
func given(all map[string]string) url.Values {
	query := url.Values{}
	for name, value := range all {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections/applications"
)

// Own finds an application's own calls and webhooks at a practice (D95). All fields
// except Unproven are needed.
type Own struct {
	// Calls returns a page of the calls that were answered, refused, or both.
	Calls func(ctx context.Context, b applications.Bounds, answered, refused bool) (applications.Page[access.OwnCall], error)
	// Call returns the call of a request id; nil if the application made no such call
	// at the practice.
	Call func(ctx context.Context, tenant string, app application.ID, requestID uuid.UUID) (*access.OwnCall, error)
	// WithKey returns the newest calls with an Idempotency-Key, at most limit.
	WithKey func(ctx context.Context, tenant string, app application.ID, key event.Digest, limit int) ([]access.OwnCall, error)
	// Unproven returns the calls that were refused before a signature was verified,
	// latest first.
	Unproven func(app application.ID, tenant string) []access.OwnCall
	// Deliveries returns a page of the webhooks.
	Deliveries func(context.Context, applications.DeliveryFilter) (applications.Page[applications.Delivery], error)
	// Outcomes are the statuses of a webhook.
	Outcomes []string
	// Why explains a failure of a webhook in a sentence.
	Why func(reason string) string
	// Cursors encrypts the ends of pages.
	Cursors Cursors
}

// Rows in a page, unless the call sets a limit.
const (
	ownPage    = 50
	ownPageMax = 200
)

var errCursor = body.ErrInvalidQuery.Worded("cursor must be the next of an earlier page. Begin again without one.")

var errLongKey = body.ErrInvalidQuery.Worded("idempotencyKey must have at most 255 bytes, as the header has.")

// The words that select calls.
const (
	allCalls      = "all"
	answeredCalls = "answered"
	refusedCalls  = "refused"
	unprovenCalls = "unproven"
)

// ownCalls is GET ?limit=&cursor=&status=&requestId=&idempotencyKey= → {calls, next}.
func (a *API) ownCalls(r *http.Request, caller judged, f *body.Form) (any, error) {
	status := f.Choice("status", allCalls, answeredCalls, refusedCalls, unprovenCalls)
	one, key := f.OptionalID("requestId", body.InvalidParameter("requestId")), f.Text("idempotencyKey")
	if len(key) > longestKey {
		f.Add(errLongKey)
	}
	bounds, err := a.ownBounds(caller, f)
	if err != nil {
		return nil, err
	}
	unproven := a.unproven(caller)
	if one != uuid.Nil {
		found, err := a.ownCall(r, caller, one, unproven)
		return callsOf(found, nil), err
	}
	if key != "" {
		found, err := a.Own.WithKey(r.Context(), caller.Tenant, caller.Application, access.KeyDigest(caller.Application, key), bounds.Limit)
		return callsOf(found, nil), err
	}
	unproven = slices.DeleteFunc(unproven, func(c access.OwnCall) bool { return aboutItself(c) || !older(c, bounds.Before) })
	if status == unprovenCalls {
		page := firstOf(unproven, bounds.Limit)
		return callsOf(page.Rows, a.next(caller, page.Before)), nil
	}
	page, err := a.Own.Calls(r.Context(), bounds, status != refusedCalls, status != answeredCalls)
	if err != nil {
		return nil, err
	}
	if status == "" || status == allCalls {
		page.Rows = together(page, unproven)
	}
	return callsOf(page.Rows, a.next(caller, page.Before)), nil
}

// ownBounds reads the requested page. It returns all faults of the query.
func (a *API) ownBounds(caller judged, f *body.Form) (applications.Bounds, error) {
	b := applications.Bounds{Tenant: caller.Tenant, Application: caller.Application, Limit: f.Number("limit", 1, ownPageMax, ownPage)}
	if text := f.Text("cursor"); text != "" {
		var ok bool
		if b.Before, ok = a.Own.Cursors.open(caller.Claim, text); !ok {
			f.Add(errCursor)
		}
	}
	return b, f.Err()
}

// next returns the cursor of the page that begins at an identifier; nil if there is
// none.
func (a *API) next(caller judged, before uuid.UUID) *string {
	if before == uuid.Nil {
		return nil
	}
	return new(a.Own.Cursors.seal(caller.Claim, before))
}

func (a *API) unproven(caller judged) []access.OwnCall {
	if a.Own.Unproven == nil {
		return nil
	}
	return a.Own.Unproven(caller.Application, caller.Tenant)
}

// ownCall finds the call of a request id, proven or not, including calls to this
// endpoint.
func (a *API) ownCall(r *http.Request, caller judged, id uuid.UUID, unproven []access.OwnCall) ([]access.OwnCall, error) {
	at := slices.IndexFunc(unproven, func(c access.OwnCall) bool { return c.RequestID == id })
	if at >= 0 {
		return unproven[at : at+1], nil
	}
	found, err := a.Own.Call(r.Context(), caller.Tenant, caller.Application, id)
	if found == nil || err != nil {
		return nil, err
	}
	return []access.OwnCall{*found}, nil
}

func aboutItself(c access.OwnCall) bool { return slices.Contains(access.AboutItself(), c.Endpoint) }

// older reports whether a call is older than a position; zero is the end.
func older(c access.OwnCall, place uuid.UUID) bool {
	return place == uuid.Nil || bytes.Compare(c.RequestID[:], place[:]) < 0
}

// firstOf returns a page of the first calls, up to limit.
func firstOf(calls []access.OwnCall, limit int) (page applications.Page[access.OwnCall]) {
	page.Rows = calls[:min(limit, len(calls))]
	if len(calls) > limit {
		page.Before = calls[limit-1].RequestID
	}
	return page
}

// together merges the calls of a page with the unproven ones from its time. The
// unproven do not count towards the limit, so a flood of them cannot push a call off
// its page.
func together(page applications.Page[access.OwnCall], unproven []access.OwnCall) []access.OwnCall {
	all := page.Rows
	for _, c := range unproven {
		if page.Before == uuid.Nil || !older(c, page.Before) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b access.OwnCall) int { return bytes.Compare(b.RequestID[:], a.RequestID[:]) })
	return all
}

// ownCallBody is a call in the answer to its application.
type ownCallBody struct {
	RequestID   uuid.UUID                `json:"requestId"`
	At          Instant                  `json:"at"`
	Endpoint    application.EndpointName `json:"endpoint"`
	Mode        *application.Mode        `json:"mode"`
	Status      int                      `json:"status"`
	Code        *string                  `json:"code"`
	Description *string                  `json:"description"`
	Rule        *access.Rule             `json:"rule"`
	Errors      []problem                `json:"errors"`
	UserAgent   *string                  `json:"userAgent"`
	Replayed    bool                     `json:"replayed"`
	Repeats     int                      `json:"repeats"`
	DurationMS  *int64                   `json:"durationMs"`
	Unproven    bool                     `json:"unproven"`
}

type ownCallsBody struct {
	Calls []ownCallBody `json:"calls"`
	Next  *string       `json:"next"`
}

func callsOf(calls []access.OwnCall, next *string) ownCallsBody {
	page := ownCallsBody{Calls: []ownCallBody{}, Next: next}
	for _, c := range calls {
		shown := ownCallBody{
			RequestID: c.RequestID, At: Instant(c.At), Endpoint: c.Endpoint, Mode: orNull(c.Mode),
			Status: c.Status, Code: orNull(c.Code), Description: orNull(c.Reason), Rule: orNull(c.Rule), Unproven: c.Unproven,
			Errors: errorsOf(c), UserAgent: orNull(c.Agent), Replayed: c.Replayed, Repeats: c.Repeats,
		}
		if c.Took != nil {
			shown.DurationMS = new(c.Took.Milliseconds())
		}
		page.Calls = append(page.Calls, shown)
	}
	return page
}

// errorsOf returns the errors of a call's answer, in their order.
func errorsOf(c access.OwnCall) []problem {
	all := []problem{}
	if c.Code != "" {
		all = append(all, problem{c.Code, c.Reason})
	}
	for _, p := range c.Further {
		all = append(all, problem{p.Code, p.Reason})
	}
	return all
}

// ownDeliveries is GET ?limit=&cursor=&jti=&from=&until=&outcome= → {deliveries, next}.
func (a *API) ownDeliveries(r *http.Request, caller judged, f *body.Form) (any, error) {
	asked := applications.DeliveryFilter{
		JTI: f.OptionalID("jti", body.InvalidParameter("jti")), From: f.Moment("from"), Until: f.Moment("until"),
		Outcome: f.Choice("outcome", a.Own.Outcomes...),
	}
	var err error
	if asked.Bounds, err = a.ownBounds(caller, f); err != nil {
		return nil, err
	}
	page, err := a.Own.Deliveries(r.Context(), asked)
	if err != nil {
		return nil, err
	}
	answer := ownDeliveriesBody{Deliveries: []ownDeliveryBody{}, Next: a.next(caller, page.Before)}
	for _, d := range page.Rows {
		answer.Deliveries = append(answer.Deliveries, a.ownDelivery(d))
	}
	return answer, nil
}

// ownDeliveryBody is a webhook in the answer to its application.
type ownDeliveryBody struct {
	JTI         uuid.UUID                `json:"jti"`
	Event       application.WebhookEvent `json:"event"`
	URL         *string                  `json:"url"`
	Outcome     string                   `json:"outcome"`
	Reason      *string                  `json:"reason"`
	Description *string                  `json:"description"`
	HappenedAt  Instant                  `json:"happenedAt"`
	SentAt      *Instant                 `json:"sentAt"`
	FinishedAt  *Instant                 `json:"finishedAt"`
	DurationMS  *int64                   `json:"durationMs"`
	Status      *int                     `json:"status"`
}

type ownDeliveriesBody struct {
	Deliveries []ownDeliveryBody `json:"deliveries"`
	Next       *string           `json:"next"`
}

func (a *API) ownDelivery(d applications.Delivery) ownDeliveryBody {
	shown := ownDeliveryBody{
		JTI: d.JTI, Event: d.Event, URL: orNull(d.URL), Outcome: d.Outcome, Reason: orNull(d.Reason),
		HappenedAt: Instant(d.HappenedAt), SentAt: instantOrNull(d.SentAt), FinishedAt: instantOrNull(d.FinishedAt), Status: d.Status,
	}
	if d.Reason != "" {
		shown.Description = orNull(a.Own.Why(d.Reason))
	}
	if d.SentAt != nil && d.FinishedAt != nil {
		shown.DurationMS = new(d.FinishedAt.Sub(*d.SentAt).Milliseconds())
	}
	return shown
}

// Cursors encrypts the position where a page ends, so that it reveals nothing: it may
// be an identifier of another application's data, which contains a time. A cursor is
// valid for one application, practice and list. It is not stored.
type Cursors struct {
	Keys func() [][32]byte // at least one; the same for every process; the first one encrypts, all decrypt
}

// seal returns the cursor of a position, and "" if encryption fails, which needs a key of a
// wrong length.
func (c Cursors) seal(of access.Claim, place uuid.UUID) string {
	sealed, err := sealing.MasterKey(c.Keys()[0]).Seal(place[:], bound(of))
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// open returns the position in a cursor; false if it was not issued to the caller for
// this list.
func (c Cursors) open(of access.Claim, text string) (place uuid.UUID, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return uuid.Nil, false
	}
	for _, key := range c.Keys() {
		if opened, err := sealing.MasterKey(key).Open(sealed, bound(of)); err == nil && len(opened) == len(place) {
			return uuid.UUID(opened), true
		}
	}
	return uuid.Nil, false
}

// bound is the application, practice and list of a cursor.
func bound(of access.Claim) []byte {
	return fmt.Appendf(nil, "%s %s %s", of.Endpoint.Name, of.Application, of.Tenant)
}

package webhooks_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/signing"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

type object = map[string]any

// published is the key set that the clinic's receivers fetch.
func (c *clinic) published() *jose.JSONWebKeySet {
	c.t.Helper()
	document, err := (&signing.KeySet{Keys: projections.SigningKeys{DB: c.pool}}).Document(c.t.Context())
	must(c.t, err)
	var set jose.JSONWebKeySet
	must(c.t, json.Unmarshal(document, &set))
	return &set
}

// verified returns the claims of a token, verified as §6.5 describes, with a library
// that did not sign it.
func (c *clinic) verified(token string) object {
	c.t.Helper()
	parsed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	must(c.t, err)
	keys := c.published().Key(parsed.Signatures[0].Protected.KeyID)
	if len(keys) != 1 {
		c.t.Fatalf("%d published keys have the kid %q", len(keys), parsed.Signatures[0].Protected.KeyID)
	}
	payload, err := parsed.Verify(keys[0])
	must(c.t, err)
	var claims object
	must(c.t, json.Unmarshal(payload, &claims))
	return claims
}

// last is the newest event of a name.
func (c *clinic) last(name string) (id uuid.UUID, at time.Time) {
	c.t.Helper()
	must(c.t, c.pool.QueryRow(c.t.Context(),
		`SELECT id, recorded_at FROM events WHERE name = $1 ORDER BY position DESC LIMIT 1`, name).Scan(&id, &at))
	return id, at
}

func TestEveryWebhookKindIsComplete_6_2(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	app := c.application(r.URL + "/hooks")
	seen := c.book()
	c.sendTo(r)

	asStaff := c.by(event.Staff(c.member.UUID))
	throughApp := c.by(event.Staff(c.member.UUID).Through(app.UUID, "user-restricted", nil))
	byApp := event.Application(app.UUID, "application-restricted", nil)
	operator := event.Operator("frontdesk_app", "root@desk7")
	withAct := byApp
	withAct.OnBehalfOf = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Jo Lee", Email: "jo@other.example"}}
	sam := object{"patientId": c.patient.String(), "userName": "Dr Sam Taylor", "userEmail": "sam@elm.example"}
	jo := object{"patientId": c.patient.String(), "userName": "Dr Jo Lee", "userEmail": "jo@other.example"}
	nobody := object{"patientId": c.patient.String(), "userName": nil, "userEmail": nil}
	shown := object{"appointmentId": seen.String(), "patientName": "Ann Archer", "roomName": "Room 1",
		"siteId": c.site.String(), "siteName": "Main building"}
	without := maps.Clone(shown)
	without["roomName"] = nil
	removed := object{"appointmentId": seen.String(), "siteId": c.site.String()}

	for _, step := range []struct {
		name  string
		do    func()
		event string // ours, that it is sent for
		kind  application.WebhookEvent
		data  object
		at    string // the member of data that holds the time
	}{
		{"opened by staff", func() { c.openRecord(asStaff, c.patient) }, "care-record.opened.v1", application.RecordOpened, sam, ""},
		{"opened through an application", func() { c.openRecord(throughApp, c.patient) }, "care-record.opened.v1", application.RecordOpened, sam, ""},
		{"opened with an act claim", func() { c.openRecord(c.by(withAct), c.patient) }, "care-record.opened.v1", application.RecordOpened, jo, ""},
		{"opened without", func() { c.openRecord(c.by(byApp), c.patient) }, "care-record.opened.v1", application.RecordOpened, nobody, ""},
		{"opened by an operator", func() { c.openRecord(c.by(operator), c.patient) },
			"care-record.opened.v1", application.RecordOpened, nobody, ""},
		{"opened by an operator for staff", func() { c.openRecord(c.by(operator.ActingFor(c.member.UUID)), c.patient) },
			"care-record.opened.v1", application.RecordOpened, sam, ""},
		{"started", func() { c.startConsultation(asStaff, appointment.ID{}) }, "consultation.started.v1", application.ConsultationStarted, sam, ""},
		{"started by nobody", func() { c.startConsultation(t.Context(), appointment.ID{}) }, "consultation.started.v1", application.ConsultationStarted, nobody, ""},
		{"called in", func() { c.callIn(seen, c.room) }, "appointment.called-in.v1", application.CallInShown, shown, "calledInAt"},
		{"called in elsewhere", func() { c.callIn(seen, site.RoomID{}) }, "appointment.called-in.v1", application.CallInShown, without, "calledInAt"},
		{"cleared", func() { c.clearCallIn(seen) }, "appointment.call-in-removed.v1", application.CallInRemoved, removed, "removedAt"},
	} {
		now := c.clock.Now()
		step.do()
		c.sendTo(r)
		got := r.all()
		if len(got) != 1 {
			t.Errorf("%s: %d webhooks, want 1", step.name, len(got))
			continue
		}
		claims := c.verified(got[0].token)
		id, _ := c.last(step.event)
		data := claims["data"].(object)
		if step.at != "" {
			at, err := time.Parse(time.RFC3339, data[step.at].(string))
			if err != nil || at.Location() != time.UTC || !at.Equal(now) {
				t.Errorf("%s: %s = %v", step.name, step.at, data[step.at])
			}
			delete(data, step.at)
		}
		iat := int64(claims["iat"].(float64))
		if iat != now.Unix() {
			t.Errorf("%s: iat %d", step.name, iat)
		}
		want := object{"iss": "service", "iat": claims["iat"], "exp": float64(iat + 60), "jti": id.String(),
			"event": string(step.kind), "tenantId": tenant, "data": step.data}
		if diff := cmp.Diff(want, claims); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestAWebhookIsAPostOfABareJWT_6_3(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL + "/hooks")
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	got := r.next(t)
	if got.method != "POST" || got.path != "/hooks" || got.header.Get("Content-Type") != "application/jwt" {
		t.Errorf("%s %s, %s", got.method, got.path, got.header.Get("Content-Type"))
	}
	parsed, err := jose.ParseSignedCompact(got.token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	header := parsed.Signatures[0].Protected
	if header.Algorithm != "RS256" || header.KeyID != string(c.kid) || header.ExtraHeaders["typ"] != "JWT" {
		t.Errorf("header %+v", header)
	}
	// Go's client takes an idempotency key as permission to retry (D29).
	want := []string{"Content-Length", "Content-Type", "User-Agent"}
	if names := slices.Sorted(maps.Keys(got.header)); !slices.Equal(names, want) {
		t.Errorf("headers %v, want %v", names, want)
	}
}

func TestMissingPatientFailsDelivery(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	id := c.book()
	c.callIn(id, c.room)
	if _, err := c.pool.Exec(t.Context(), `DELETE FROM patients WHERE patient = $1`, c.patient); err != nil {
		t.Fatal(err)
	}
	c.sendTo(r)
	if got := r.all(); len(got) != 0 {
		t.Errorf("told %v", got)
	}
	c.wantSummary("failed not_built 1")
}

// kidOf is the kid in a token's header.
func kidOf(t testing.TB, token string) signingkey.KID {
	t.Helper()
	parsed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	must(t, err)
	return signingkey.KID(parsed.Signatures[0].Protected.KeyID)
}

package webhooks_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// byJo returns a context of a call with an act claim. Its practitioner is not a member
// of the practice.
func (c *clinic) byJo() context.Context {
	by := event.Application(uuid.New(), "application-restricted", nil)
	by.OnBehalfOf = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Jo Lee", Email: "jo@other.example"}}
	return c.by(by)
}

// destroys deletes the keys of a kind from the database, as an erasure or an accident
// would. The keyring is a new process's.
func (c *clinic) destroys(kind event.HolderKind, erased bool) {
	c.t.Helper()
	owner, err := pgx.Connect(c.t.Context(), c.adminURL)
	must(c.t, err)
	defer func() { _ = owner.Close(context.WithoutCancel(c.t.Context())) }()
	if erased {
		_, err := owner.Exec(c.t.Context(), `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE kind = $1`, kind)
		must(c.t, err)
	}
	_, err = owner.Exec(c.t.Context(), `DELETE FROM personal_keys WHERE kind = $1`, kind)
	must(c.t, err)
	c.keys = &keyring.Keyring{DB: postgres.On(c.pool), Codec: c.codec, Masters: sealing.NewRing(master)}
	must(c.t, c.keys.Start(c.t.Context()))
}

// A call-in without a valid name would be read out in the waiting room.
func TestACallInWithoutANameIsNotSent_D68(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]struct {
		erased bool
		told   int
		want   string
	}{
		"erased": {true, 0, "withdrawn erased 2"},
		"lost":   {false, 1, "delivered 1, failed not_built 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := newClinic(t), newReceiver(t)
			c.application(r.URL)
			seen := c.book()
			c.callIn(seen, c.room)
			c.clearCallIn(seen)
			c.fanOut() // it has passed by when the key goes
			c.destroys(event.OfPatient, k.erased)
			c.sendTo(r)
			got := r.all()
			if len(got) != k.told || k.told == 1 && c.verified(got[0].token)["event"] != string(application.CallInRemoved) {
				t.Errorf("told %d webhooks, want the removal alone at most", len(got))
			}
			c.wantSummary(k.want)
		})
	}
}

func TestErasedPractitionerIsNotNamed_D68(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(c.byJo(), c.patient)
	c.fanOut()
	c.destroys(event.OfPractitioner, true)
	c.sendTo(r)
	data := c.verified(r.next(t).token)["data"].(object)
	if data["userName"] != nil || data["userEmail"] != nil {
		t.Errorf("the practitioner is named %v", data)
	}
}

// An application chooses the name of the practitioner in its act claim. The name must
// not stop deliveries.
func TestNameThatLooksHiddenIsSent_D68(t *testing.T) {
	t.Parallel()
	for _, name := range []string{event.Hidden, event.Erased} {
		c, r := newClinic(t), newReceiver(t)
		c.application(r.URL)
		by := event.Application(uuid.New(), "application-restricted", nil)
		by.OnBehalfOf = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: name, Email: "jo@other.example"}}
		c.openRecord(c.by(by), c.patient)
		c.fanOut()
		c.sendTo(r)
		c.wantSummary("delivered 1")
		if data := c.verified(r.next(t).token)["data"].(object); data["userName"] != name {
			t.Errorf("%s is told as %v", name, data["userName"])
		}
	}
}

// One delivery whose names cannot be opened ends, and is logged once. The others of the
// same claim are sent.
func TestALostKeyHoldsUpNoOtherDelivery_D68(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(c.byJo(), c.patient)
	c.openRecord(c.by(event.Staff(c.member.UUID)), c.newPatient("Bill Baker"))
	c.callIn(c.book(), c.room)
	c.destroys(event.OfPractitioner, false)
	logged, opens := &lines{}, &counting{Keyring: c.keys}
	c.fanOut()
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r)), func(s *webhooks.Sender) {
		s.Opens, s.Log = opens, slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelError}))
	}))
	c.wait(settled)
	c.wantSummary("delivered 2, failed not_built 1")
	if got := logged.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "the key is lost") || strings.Contains(got, "Jo") {
		t.Errorf("logged %q", got)
	}
	if most := opens.most(); most > 1 {
		t.Errorf("names were opened %d times for one claim", most)
	}
}

// A process without the master key has only hidden values.
func TestUnopenedNameIsNotSent_D68(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(c.byJo(), c.patient)
	c.callIn(c.book(), c.room)
	c.keys = &keyring.Keyring{DB: postgres.On(c.pool), Codec: c.codec}
	c.sendTo(r)
	if got := r.all(); len(got) != 0 {
		t.Errorf("told %d webhooks", len(got))
	}
	c.wantSummary("failed not_built 2")
}

// counting counts calls and events of opening.
type counting struct {
	*keyring.Keyring
	mu    sync.Mutex
	times int
}

func (k *counting) OpenEach(ctx context.Context, stored []event.Stored) ([]event.Recorded, []error, error) {
	k.mu.Lock()
	if len(stored) > 0 {
		k.times++
	}
	k.mu.Unlock()
	return k.Keyring.OpenEach(ctx, stored)
}

func (k *counting) most() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.times
}

// lines is a log that can be read while it is written to.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

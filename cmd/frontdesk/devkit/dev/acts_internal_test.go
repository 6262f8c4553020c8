package dev

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/patient"
)

// An event is triggered again for the patient of its webhook.
func TestPatientOfWebhook_D159(t *testing.T) {
	t.Parallel()
	ann, bill := patient.ID{UUID: uuid.New()}, patient.ID{UUID: uuid.New()}
	info := sandbox.Info{Patients: []sandbox.Patient{{ID: ann, Name: "Ann Archer"}, {ID: bill, Name: "Bill Baker"}}}
	for data, want := range map[string]patient.ID{
		`{"patientId":"` + bill.String() + `"}`:                    bill,
		`{"appointmentId":"x","patientName":"Bill Baker"}`:         bill,
		`{"appointmentId":"x","siteId":"y"}`:                       ann,
		`{"patientId":"` + uuid.NewString() + `","userName":null}`: ann,
	} {
		w := forward.Webhook{Verified: client.Webhook{Data: json.RawMessage(data)}}
		if got, err := patientOf(w, info); err != nil || got != want {
			t.Errorf("%s: %v, %v", data, got, err)
		}
	}
	for name, w := range map[string]forward.Webhook{"refused": {}, "no patients": {Verified: client.Webhook{Data: json.RawMessage(`{}`)}}} {
		if got, err := patientOf(w, sandbox.Info{}); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Lines and webhooks have the time of the sandbox's clock, as the service's own records do.
func TestTimesAreOfSandboxClock_D159(t *testing.T) {
	t.Parallel()
	noon := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	d := &dev{config: Config{Now: func() time.Time { return noon }}}
	if got := d.now(); !got.Equal(noon) {
		t.Errorf("without a sandbox it is %v", got)
	}
	d.snapshot.Clock = 12 * time.Hour
	if got := d.now(); !got.Equal(noon.Add(12 * time.Hour)) {
		t.Errorf("12 hours on it is %v", got)
	}
}

// A poll that failed does not hinder an action: the service is asked again, and only if it still gives no
// answer, the action is not done.
func TestActionAsksAgainAfterPoll_D171(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		away        string
		status      int // of the service's answers
		asked, done int // questions to the service before the action, and actions
		stays       bool
	}{
		{name: "the poll was answered", status: http.StatusOK, asked: 0, done: 1},
		{name: "it failed, and the service answers", away: "busy", status: http.StatusOK, asked: 1, done: 1},
		{name: "it failed, and so does the service", away: "busy", status: http.StatusServiceUnavailable, asked: 1, done: 0, stays: true},
	} {
		var asked atomic.Int32
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !strings.HasSuffix(r.URL.Path, "/application") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			asked.Add(1)
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, `{}`)
		}))
		t.Cleanup(service.Close)
		d := registered(t, service.URL)
		d.snapshot.Away = test.away
		done, before := 0, int32(-1)
		d.act(t.Context(), nil, func(context.Context, *registration, url.Values) (string, error) {
			done, before = done+1, asked.Load()
			return "It is done.", nil
		})
		if done != test.done || done > 0 && int(before) != test.asked || done == 0 && int(asked.Load()) != test.asked {
			t.Errorf("%s: it was done %d times, after %d questions of %d", test.name, done, before, asked.Load())
		}
		if stays := d.last().Away != ""; stays != test.stays {
			t.Errorf("%s: afterwards the sandbox is away: %q", test.name, d.last().Away)
		}
		if said := d.log.newest(); (test.done == 0) != slices.ContainsFunc(said, func(l page.Line) bool { return l.Wrong && strings.HasPrefix(l.Text, "That was not done: ") }) {
			t.Errorf("%s: the page says %v", test.name, said)
		}
	}
}

// Without a registration there is nothing to act with.
func TestActionNeedsRegistration_D171(t *testing.T) {
	t.Parallel()
	d := registered(t, "http://127.0.0.1:1")
	d.member = nil
	d.act(t.Context(), nil, func(context.Context, *registration, url.Values) (string, error) {
		t.Error("it was done")
		return "", nil
	})
	if said := d.log.newest(); len(said) != 1 || !said[0].Wrong || !strings.Contains(said[0].Text, errNotJoined.Error()) {
		t.Errorf("the page says %v", said)
	}
}

// registered is a dev whose application is registered with a service.
func registered(t *testing.T, service string) *dev {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := client.GenerateKey(file); err != nil {
		t.Fatal(err)
	}
	key, err := client.ReadKey("", file)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := client.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	asking, err := client.New(client.Options{BaseURL: service, Application: uuid.NewString(), Signer: signer, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	changed := &background.Broadcast{}
	return &dev{
		config: Config{SandboxDir: t.TempDir(), Now: clock.System}, changed: changed, joined: clock.Start(),
		member: &registration{client: asking}, log: &log{out: io.Discard, now: clock.System, changed: changed},
	}
}

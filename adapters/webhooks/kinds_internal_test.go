package webhooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// A kind that can be registered but has no row would never be sent.
func TestEveryKindHasARow_6_1_D40(t *testing.T) {
	t.Parallel()
	registered, rows := []string{string(application.Ping)}, []string(nil)
	for _, k := range application.WebhookEvents() {
		registered = append(registered, string(k))
	}
	for _, k := range kinds {
		told, _ := k.notice(k.sample)
		rows = append(rows, string(told.kind))
	}
	named := constants(t, "../../domain/application/addresses.go", "WebhookEvent")
	for _, list := range [][]string{registered, rows, named} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(registered, rows); diff != "" {
		t.Errorf("(-can be registered, or is a ping, +has a row)\n%s", diff)
	}
	if diff := cmp.Diff(named, registered); diff != "" {
		t.Errorf("(-has a name +can be registered)\n%s", diff)
	}
}

// The fan-out can only handle events that it follows.
func TestFanOutFollowsTheCatalogue_D28(t *testing.T) {
	t.Parallel()
	var told, followed []string
	for _, e := range domain.Events() {
		if _, tells := noticeOf(e); tells {
			told = append(told, e.EventName())
		}
	}
	for _, e := range (FanOut{}).Follows() {
		followed = append(followed, e.EventName())
	}
	slices.Sort(told)
	slices.Sort(followed)
	if diff := cmp.Diff(told, followed); diff != "" {
		t.Errorf("(-told +followed)\n%s", diff)
	}
}

// example is an event with the names looked up for it.
type example struct {
	event event.Event
	names names
}

var (
	noon    = time.Date(2026, 3, 2, 13, 0, 0, 1e6, time.FixedZone("", 3600))
	ann     = patient.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-000000000001")}
	seen    = appointment.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-000000000002")}
	hall    = site.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-000000000003")}
	asked   = request.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-000000000004")}
	portal  = application.ID{UUID: uuid.MustParse("0195b5a0-0000-7000-8000-000000000005")}
	subject = appointment.Subject{Appointment: seen, Patient: ann, Site: hall}
)

// examples are of each kind, with all optional data and without.
func examples() map[application.WebhookEvent][]example {
	name, email, room := "Dr Lee", "lee@elm.example", "Room 1"
	lee := names{userName: &name, userEmail: &email}
	return map[application.WebhookEvent][]example{
		application.RecordOpened:        {{record.CareRecordOpened{Patient: ann}, lee}, {record.CareRecordOpened{Patient: ann}, names{}}},
		application.ConsultationStarted: {{consultation.Started{Patient: ann}, lee}, {consultation.Started{Patient: ann}, names{}}},
		application.CallInShown: {
			{appointment.CalledIn{Subject: subject, CalledInAt: noon}, names{patient: "Ann Archer", site: "Main building", room: &room}},
			{appointment.CalledIn{Subject: subject, CalledInAt: noon}, names{patient: "Ann Archer", site: "Main building"}},
		},
		application.CallInRemoved:  {{appointment.CallInRemoved{Subject: subject, RemovedAt: noon}, names{}}},
		application.RequestReplied: {{request.Answered{Patient: ann, Request: asked, Application: portal, Text: "Take it twice a day."}, names{}}},
		application.Ping:           {{application.WebhookTestRequested{Event: application.RecordOpened}, names{}}},
	}
}

// Receivers rely on the exact names and formats of a payload. They are in testdata, and
// in the API's description.
func TestPayloads_6_2(t *testing.T) {
	t.Parallel()
	contract, err := httpapitest.NewContract()
	if err != nil {
		t.Fatal(err)
	}
	all := examples()
	for _, k := range append(application.WebhookEvents(), application.Ping) {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			if len(all[k]) == 0 {
				t.Fatal("there is no example of it")
			}
			var payloads []json.RawMessage
			for _, e := range all[k] {
				payload := e.payload(t)
				if err := contract.CheckWebhook(string(k), payload); err != nil {
					t.Error(err)
				}
				payloads = append(payloads, payload)
			}
			got, err := json.MarshalIndent(payloads, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("testdata", string(k)+".json"))
			if err != nil {
				t.Fatalf("%v; it would hold\n%s", err, got)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("the payload has changed (-promised +now)\n%s", diff)
			}
		})
	}
}

func (e example) payload(t *testing.T) []byte {
	t.Helper()
	told, tells := noticeOf(e.event)
	if !tells {
		t.Fatalf("%s is not told", e.event.EventName())
	}
	id := uuid.MustParse("0195b5a0-0000-7000-8000-000000000009")
	d := delivery{event: event.Recorded{ID: id, Stream: event.Stream{Tenant: "elm-street"}, Event: e.event}, notice: told, names: &e.names}
	payload, err := json.Marshal(d.claims(noon))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

package event_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

var (
	lee   = uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")
	diary = uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")
)

// Each kind of actor in its stored form, as auditors see it, and the member of staff it
// counts as.
func TestActors(t *testing.T) {
	t.Parallel()
	operator := event.Operator("frontdesk_app", "alice@desk7")
	for _, c := range []struct {
		actor         event.Actor
		stored, shown string
		member        uuid.UUID
	}{
		{event.Application(diary, "application-restricted", &event.OnBehalfOf{}),
			`{"kind":"application","id":"` + diary.String() + `","application":"` + diary.String() + `","mode":"application-restricted",` +
				`"onBehalfOf":{"practitioner":{"name":"","email":""},"organisation":{"name":""}}}`,
			"application:" + diary.String(), uuid.Nil},
		{event.Application(diary, "application-restricted", &event.OnBehalfOf{Role: "GP", Purpose: "TREAT"}),
			`{"kind":"application","id":"` + diary.String() + `","application":"` + diary.String() + `","mode":"application-restricted",` +
				`"onBehalfOf":{"practitioner":{"name":"","email":""},"organisation":{"name":""},"role":"GP","purpose":"TREAT"}}`,
			"application:" + diary.String(), uuid.Nil},
		{event.Staff(lee), `{"kind":"staff","id":"` + lee.String() + `"}`, "staff:" + lee.String(), lee},
		{event.Staff(lee).Through(diary, "user-restricted", nil),
			`{"kind":"staff","id":"` + lee.String() + `","application":"` + diary.String() + `","mode":"user-restricted"}`,
			"staff:" + lee.String(), lee},
		{operator, `{"kind":"operator","id":"frontdesk_app","machine":"alice@desk7"}`, "operator:frontdesk_app (alice@desk7)", uuid.Nil},
		{operator.ActingFor(lee), `{"kind":"operator","id":"frontdesk_app","machine":"alice@desk7","for":"` + lee.String() + `"}`,
			"operator:frontdesk_app (alice@desk7) for staff:" + lee.String(), lee},
		{event.Display(lee), `{"kind":"display","id":"` + lee.String() + `"}`, "display:" + lee.String(), uuid.Nil},
		{event.Service("frontdesk"), `{"kind":"service","id":"frontdesk"}`, "service:frontdesk", uuid.Nil},
		{event.Actor{Kind: event.ByOperator, ID: "anna@frontdesk_audit"}, // an earlier stored form
			`{"kind":"operator","id":"anna@frontdesk_audit"}`, "operator:anna@frontdesk_audit", uuid.Nil},
		{event.Actor{Kind: event.ByStaff, ID: "7"}, `{"kind":"staff","id":"7"}`, "staff:7", uuid.Nil},
	} {
		stored, err := json.Marshal(c.actor)
		if err != nil || string(stored) != c.stored {
			t.Errorf("stored as %s, want %s, %v", stored, c.stored, err)
		}
		back, err := event.ParseMetadata([]byte(`{"actor":` + c.stored + `}`))
		if again, _ := json.Marshal(back.Actor); err != nil || string(again) != c.stored {
			t.Errorf("read back as %s, %v", again, err)
		}
		if c.actor.String() != c.shown || c.actor.Member() != c.member {
			t.Errorf("shown as %s and counted as %s's, want %s", c.actor, c.actor.Member(), c.shown)
		}
	}
}

// A user name from a machine cannot look like another actor in the log.
func TestAnOperatorsNamesArePlain(t *testing.T) {
	t.Parallel()
	for claimed, want := range map[string]string{
		"élodie@büro":                          "élodie@büro",
		"PRACTICE\\Ann Lee@desk7":              "PRACTICE\\Ann Lee@desk7",
		"x) for staff:" + lee.String() + " (y": "x? for staff:" + lee.String() + " ?y",
		"a\nb\x1b[2J\u202e@\xff":               "a?b?[2J?@?",
		strings.Repeat("é", 200):               strings.Repeat("é", 128),
	} {
		if got := event.Operator(claimed, claimed); got.ID != want || got.Machine != want {
			t.Errorf("%q is %+v, want %q", claimed, got, want)
		}
	}
}

// people are names for [event.Actor.Words].
type people struct{ failed error }

func (p people) Member(uuid.UUID) (string, error)      { return "Dr Lee", p.failed }
func (p people) Application(uuid.UUID) (string, error) { return "Diary", p.failed }
func (people) Practitioner(claim event.OnBehalfOf) string {
	return claim.Practitioner.Name + ", " + claim.Organisation.Name
}

func TestActorWords(t *testing.T) {
	t.Parallel()
	operator := event.Operator("frontdesk_app", "alice@desk7")
	claim := &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Doe"}, Organisation: event.Organisation{Name: "Far"}}
	for want, actor := range map[string]event.Actor{
		"Dr Lee":                       event.Staff(lee),
		"Dr Lee, through Diary":        event.Staff(lee).Through(diary, "user-restricted", claim),
		"Dr Doe, Far, through Diary":   event.Application(diary, "application-restricted", claim),
		"Diary":                        event.Application(diary, "application-restricted", nil),
		"an operator (frontdesk_app)":  operator,
		"an operator, for Dr Lee":      operator.ActingFor(lee),
		"a screen in the waiting room": event.Display(lee),
		"the service itself":           event.Service("signer"),
	} {
		if got, err := actor.Words(people{}); got != want || err != nil {
			t.Errorf("%s: %q, error %v", want, got, err)
		}
	}
	for _, actor := range []event.Actor{event.Staff(lee), operator.ActingFor(lee), event.Application(diary, "application-restricted", claim)} {
		if _, err := actor.Words(people{errors.New("no database")}); err == nil {
			t.Errorf("%s: no error", actor)
		}
	}
}

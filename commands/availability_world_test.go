package commands_test

import (
	"errors"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// surgery is a practice with an operator and a patient who submits requests.
type surgery struct {
	t     *testing.T
	store *commandtest.Store
	now   time.Time
	ann   patient.ID
}

const surgeryTenant = "elm-street"

func newSurgery(t *testing.T) *surgery {
	t.Helper()
	s := &surgery{t: t, store: commandtest.NewStore(), now: commandtest.Noon}
	s.must(commands.Desk{Store: s.store}.RegisterPractice(t.Context(),
		commands.RegisterPractice{Tenant: surgeryTenant, Name: "Elm Street"}))
	ann, err := commands.Desk{Store: s.store, Now: noon}.RegisterPatient(t.Context(),
		commands.RegisterPatient{Tenant: surgeryTenant, Name: "Ann"})
	s.must(err)
	s.ann = ann
	return s
}

func (s *surgery) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *surgery) clock() time.Time { return s.now }

func (s *surgery) switchOff(tenant string, typ request.Type) error {
	return commands.Desk{Store: s.store}.SwitchRequestTypeOff(s.t.Context(),
		commands.SwitchRequestTypeOff{Tenant: tenant, RequestType: typ})
}

func (s *surgery) switchOn(tenant string, typ request.Type) error {
	return commands.Desk{Store: s.store}.SwitchRequestTypeOn(s.t.Context(),
		commands.SwitchRequestTypeOn{Tenant: tenant, RequestType: typ})
}

func (s *surgery) pause(tenant string, typ request.Type, until time.Time) error {
	return commands.Desk{Store: s.store, Now: s.clock}.PauseRequestType(s.t.Context(),
		commands.PauseRequestType{Tenant: tenant, RequestType: typ, Until: until})
}

func (s *surgery) resume(tenant string, typ request.Type) error {
	return commands.Desk{Store: s.store, Now: s.clock}.ResumeRequestType(s.t.Context(),
		commands.ResumeRequestType{Tenant: tenant, RequestType: typ})
}

func (s *surgery) setHours(tenant string, typ request.Type, texts ...string) error {
	return commands.Desk{Store: s.store}.SetOpeningHours(s.t.Context(),
		commands.SetOpeningHours{Tenant: tenant, RequestType: typ, Hours: texts})
}

func (s *surgery) close(tenant string, from, until time.Time) error {
	return commands.Desk{Store: s.store, Now: s.clock}.ClosePractice(s.t.Context(),
		commands.ClosePractice{Tenant: tenant, From: from, Until: until})
}

func (s *surgery) reopen(tenant string, from time.Time) error {
	return commands.Desk{Store: s.store, Now: s.clock}.ReopenPractice(s.t.Context(),
		commands.ReopenPractice{Tenant: tenant, From: from})
}

func (s *surgery) submit(id patient.ID, typ request.Type) error {
	_, err := commands.Desk{Store: s.store, Receptions: s.store, Patients: s.store, Now: s.clock}.SubmitPatientRequest(s.t.Context(),
		commands.SubmitPatientRequest{Tenant: surgeryTenant, Submission: request.Submission{
			Patient: id, Type: typ, Requester: request.ByPatient,
			Response: []request.Answer{{Question: "healthConcern", Answer: "A cough"}},
		}})
	return err
}

// answers fails unless Ann's request has this result, and nothing is stored of a
// refused one.
func (s *surgery) answers(typ request.Type, want error) {
	s.t.Helper()
	before := len(s.store.Log())
	err := s.submit(s.ann, typ)
	if !errors.Is(err, want) {
		s.t.Errorf("a request of type %s: %v, want %v", typ, err, want)
	}
	if err != nil && len(s.store.Log()) > before {
		s.t.Error("the request was refused, and yet something was stored")
	}
}

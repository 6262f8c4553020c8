package catalogue_test

import (
	"slices"
	"testing"

	"frontdesk/domain"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
)

func all(catalogue.Row) bool { return true }

func TestEveryPatientEventHasARow(t *testing.T) {
	t.Parallel()
	about := map[string]bool{}
	for _, e := range domain.Events() {
		if _, is := e.(event.Patient); !is {
			continue
		}
		name := e.EventName()
		about[name] = true
		switch row := catalogue.Find(name); {
		case row.Event == nil:
			t.Errorf("%s is about a patient: add a row such as {%T{}, Update, \"\", \"marked the patient as arrived\"} to rows in domain/catalogue/catalogue.go", name, e)
		case row.Operation == "" || row.Words == "":
			t.Errorf("%s: its row in domain/catalogue/catalogue.go needs an operation and words, has %q and %q", name, row.Operation, row.Words)
		}
	}
	rows := catalogue.Events(all)
	for _, e := range rows {
		if !about[e.EventName()] {
			t.Errorf("%s has a row in domain/catalogue/catalogue.go, and is no event about a patient of domain.Events", e.EventName())
		}
	}
	if len(rows) != len(about) {
		t.Errorf("%d rows for %d events about a patient", len(rows), len(about))
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	known := []catalogue.Operation{
		catalogue.Create, catalogue.Read, catalogue.Update, catalogue.Nullify, catalogue.Delete, catalogue.Execute,
	}
	for _, e := range catalogue.Events(all) {
		if row := catalogue.Find(e.EventName()); !slices.Contains(known, row.Operation) {
			t.Errorf("%s: there is no operation %q", e.EventName(), row.Operation)
		}
	}
}

func TestKindWords(t *testing.T) {
	t.Parallel()
	for kind, want := range map[catalogue.Kind]string{
		catalogue.KindNote:           "wrote a note", // as the event's
		catalogue.KindRequest:        "sent a request",
		catalogue.KindConsultation:   "started a consultation",
		catalogue.KindEnteredInError: "marked an entry as entered in error", // of two events
		"letter-sent":                "letter sent",
	} {
		if got := kind.Words(); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

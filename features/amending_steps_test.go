package features_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cucumber/godog"
	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/cli"
)

// amendingSteps are about corrections by operators on the command line.
func (w *world) amendingSteps(sc *godog.ScenarioContext) {
	sc.Step(`^what was made is called "([^"]*)"$`, w.madeIs)
	sc.Step(`^an operator types, an argument a line:$`, func(line *godog.DocString) error { return w.types("", line) })
	sc.Step(`^an operator acts for "([^"]*)" and types, an argument a line:$`, w.types)
	sc.Step(`^the operator is told "([^"]*)"$`, func(text string) error { return w.operatorTold(0, text) })
	sc.Step(`^the operator is refused with "([^"]*)"$`, func(code string) error { return w.operatorTold(1, "("+code+")") })
	sc.Step(`^the record says that "([^"]*)" was entered in error because "([^"]*)"$`, w.inErrorBecause)
	sc.Step(`^the record does not say that "([^"]*)" was entered in error$`, w.notInError)
	sc.Step(`^the record is that of "([^"]*)", born on "([^"]*)"$`, w.recordIsOf)
}

// madeIs gives a name to the one object that the last call has made.
func (w *world) madeIs(name string) error {
	var made map[string]uuid.UUID
	if err := json.Unmarshal(w.answer.body, &made); err != nil || len(made) != 1 {
		return fmt.Errorf("the answer is %s, %w", w.answer.body, err)
	}
	w.things[name] = slices.Collect(maps.Values(made))[0]
	return nil
}

// types runs the command line at the practice, and keeps its output. The first line is the
// noun and the verb.
func (w *world) types(member string, line *godog.DocString) error {
	command, rest, _ := strings.Cut(w.filled(line.Content), "\n")
	args := append(strings.Fields(command), strings.Split(rest, "\n")...)
	args = append(args, "--tenant="+w.tenant(w.practice), "--database-url="+w.DB.URL)
	if member != "" {
		args = append(args, "--as="+w.usernames[member])
	}
	var out, said bytes.Buffer
	w.exit = cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
	w.shown = out.String() + said.String()
	return nil
}

func (w *world) operatorTold(exit int, text string) error {
	if w.exit != exit || !strings.Contains(w.shown, text) {
		return fmt.Errorf("exit status %d: %s", w.exit, w.shown)
	}
	return nil
}

// recordShown is the answer of retrieve-care-record, with the members that amending
// changes.
type recordShown struct {
	Patient         struct{ Name, BirthDate string }
	Notes           []entryShown
	PatientRequests []entryShown
}

type entryShown struct {
	NoteID, PatientRequestID uuid.UUID
	EnteredInError           *struct{ Reason, MarkedAt string }
}

func (w *world) record() (shown recordShown, err error) {
	err = json.Unmarshal(w.answer.body, &shown)
	return shown, err
}

// entry finds a note or a request in the record.
func (w *world) entry(name string) (entryShown, error) {
	record, err := w.record()
	for _, e := range append(record.Notes, record.PatientRequests...) {
		if id := w.things[name]; e.NoteID == id || e.PatientRequestID == id {
			return e, err
		}
	}
	return entryShown{}, fmt.Errorf("the record does not show it: %s, %w", w.answer.body, err)
}

func (w *world) inErrorBecause(name, reason string) error {
	e, err := w.entry(name)
	if err == nil && (e.EnteredInError == nil || e.EnteredInError.Reason != reason || e.EnteredInError.MarkedAt == "") {
		err = fmt.Errorf("the record says %s", w.answer.body)
	}
	return err
}

func (w *world) notInError(name string) error {
	e, err := w.entry(name)
	if err == nil && e.EnteredInError != nil {
		err = fmt.Errorf("the record says %s", w.answer.body)
	}
	return err
}

func (w *world) recordIsOf(name, born string) error {
	record, err := w.record()
	if err == nil && (record.Patient.Name != name || record.Patient.BirthDate != born) {
		err = fmt.Errorf("the record says %s", w.answer.body)
	}
	return err
}

package practice

import (
	"encoding/json"
	"errors"
	"fmt"

	"frontdesk/cmd/frontdesk/apply"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/event"
)

// applyReport prints the outcome of documents.
type applyReport struct {
	r      *term.Run
	dry    bool
	json   bool
	meter  *term.Meter
	faults []error // the first of them
	more   int     // how many others
}

func newApplyReport(r *term.Run, dry, json bool) *applyReport {
	return &applyReport{r: r, dry: dry, json: json, meter: term.NewMeter(r.Raw.Err, "applying", "documents")}
}

// mostFaults is how many refusals are shown.
const mostFaults = 50

// checked prints the changes that a document would make, if that was asked for.
func (a *applyReport) checked(o apply.Outcome) error {
	for _, fault := range o.Faults {
		if len(a.faults) == mostFaults {
			a.more++
			continue
		}
		a.faults = append(a.faults, fault)
	}
	for _, note := range o.Notes {
		a.meter.End()
		fmt.Fprintln(a.r.Err, note)
	}
	if !a.dry || len(o.Faults) > 0 {
		return nil
	}
	return a.print(o)
}

// done prints the changes that a document has made.
func (a *applyReport) done(o apply.Outcome) error { return a.print(o) }

// changedPart is the change to a part of a document, as it is printed.
type changedPart struct {
	Line   int            `json:"line"`
	Column int            `json:"column"`
	Events []changedEvent `json:"events"`
}

type changedEvent struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data"` // without personal data
}

func (a *applyReport) print(o apply.Outcome) error {
	parts, err := partsOf(o)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.r.Out).Encode(map[string]any{"file": o.File, "line": o.Line, "kind": o.Kind, "name": o.Name, "changes": parts})
	}
	if len(parts) == 0 {
		return nil
	}
	a.meter.End()
	if !a.dry {
		_, err := fmt.Fprintf(a.r.Out, "%s %s: %d events\n", o.Kind, o.Name, o.Events())
		return err
	}
	fmt.Fprintf(a.r.Out, "%s %s would change:\n", o.Kind, o.Name)
	for _, part := range parts {
		for _, e := range part.Events {
			fmt.Fprintf(a.r.Out, "  %s:%d:%d: %s %s\n", o.File, part.Line, part.Column, e.Name, e.Data)
		}
	}
	return nil
}

func partsOf(o apply.Outcome) ([]changedPart, error) {
	parts := []changedPart{}
	for _, change := range o.Changes {
		part := changedPart{Line: change.Line, Column: change.Column}
		for _, e := range change.Events {
			data, err := event.Redacted(e)
			if err != nil {
				return nil, err
			}
			part.Events = append(part.Events, changedEvent{e.EventName(), data})
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// refused prints the refusals, a line each, and returns an error if there are any.
func (a *applyReport) refused(err error) error {
	if err != nil || len(a.faults) == 0 {
		return err
	}
	if len(a.faults) == 1 {
		return fmt.Errorf("nothing was changed: %w", a.faults[0])
	}
	for _, fault := range a.faults {
		fmt.Fprintln(a.r.Err, fault)
	}
	if a.more > 0 {
		fmt.Fprintf(a.r.Err, "and %d more\n", a.more)
	}
	return errors.New("nothing was changed: fix these lines and apply the files again")
}

// summary ends the report for people, once the run is at its end.
func (a *applyReport) summary(t apply.Tally, last bool) error {
	if a.json || !last {
		return nil
	}
	said := "nothing to change"
	switch {
	case t.Changed > 0 && a.dry:
		said = fmt.Sprintf("would change %d of %d documents by %d events", t.Changed, t.Documents, t.Events)
	case t.Changed > 0:
		said = fmt.Sprintf("changed %d of %d documents by %d events", t.Changed, t.Documents, t.Events)
	}
	_, err := fmt.Fprintln(a.r.Out, said)
	return err
}

// Package term holds what subcommands share: the streams of a run, flags, output,
// questions at a terminal, the master key, and logs.
package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
)

// Streams are the standard streams of a run.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run is what a subcommand is given: the streams, and when to stop.
type Run struct {
	Context context.Context //nolint:containedctx // kong hands one value to Run
	Streams                 // which show what a terminal would act on
	Raw     Streams         // which do not: for the bytes of a file, and for moving the cursor
	Now     func() time.Time
}

// OneLine is an error in one line: of a refusal, its sentence and its code.
func OneLine(err error) string {
	text := err.Error()
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Kind != fault.Unavailable {
		text = refusal.Detail + " (" + refusal.Code + ")"
	}
	if list, ok := errors.AsType[fault.List](err); ok {
		text = list.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// Tell says at once who is waited for, also where the output is no terminal.
func (r *Run) Tell(text string) { fmt.Fprintln(r.Err, "waiting: "+text) }

// RecordReading appends what is about to be shown. If it fails, nothing may be
// shown.
func (r *Run) RecordReading(engine *app.Engine, tenant string, q audit.Queried) error {
	if err := engine.Auditor.RecordReading(r.Context, tenant, Machine(), q); err != nil {
		return fmt.Errorf("nothing is shown, because it could not be recorded that it was: %w", err)
	}
	return nil
}

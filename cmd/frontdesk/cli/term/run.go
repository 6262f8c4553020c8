// Package term holds the code that subcommands share: the streams of a run, flags, output,
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

// Run is the input of a subcommand: the streams, and the context that ends it.
type Run struct {
	Context context.Context //nolint:containedctx // kong hands one value to Run
	Streams                 // which show characters that a terminal would act on
	Raw     Streams         // which do not: for the bytes of a file, and for moving the cursor
	Now     func() time.Time
	// SandboxOnly refuses to change a database that belongs to no sandbox.
	SandboxOnly bool
}

// ErrDiffers ends a command with status 3 and without a message: the command has printed the
// difference that it was asked to find.
var ErrDiffers = errors.New("there is a difference")

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

// Tell prints at once the cause of a wait, also where the output is no terminal.
func (r *Run) Tell(text string) { fmt.Fprintln(r.Err, "waiting: "+text) }

// RecordReading records a reading before its result is shown. If it fails, nothing may be
// shown.
func (r *Run) RecordReading(engine *app.Engine, tenant string, q audit.Queried) error {
	if err := engine.Auditor.RecordReading(r.Context, tenant, Machine(), q); err != nil {
		return fmt.Errorf("nothing is shown, because it could not be recorded that it was: %w", err)
	}
	return nil
}

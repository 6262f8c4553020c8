package cli

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

// run is what a subcommand is given: the streams, and when to stop.
type run struct {
	ctx     context.Context //nolint:containedctx // kong hands one value to Run
	Streams                 // which show what a terminal would act on
	raw     Streams         // which do not: for the bytes of a file, and for moving the cursor
	now     func() time.Time
}

// oneLine is an error in one line: of a refusal, its sentence and its code.
func oneLine(err error) string {
	text := err.Error()
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Kind != fault.Unavailable {
		text = refusal.Detail + " (" + refusal.Code + ")"
	}
	if list, ok := errors.AsType[fault.List](err); ok {
		text = list.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// tell says at once who is waited for, also where the output is no terminal.
func (r *run) tell(text string) { fmt.Fprintln(r.Err, "waiting: "+text) }

// recordReading appends what is about to be shown. If it fails, nothing may be
// shown.
func (r *run) recordReading(engine *app.Engine, tenant string, q audit.Queried) error {
	if err := engine.Auditor.RecordReading(r.ctx, tenant, machine(), q); err != nil {
		return fmt.Errorf("nothing is shown, because it could not be recorded that it was: %w", err)
	}
	return nil
}

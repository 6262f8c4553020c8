package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// filterFlags say which events of the log. What is not given asks for nothing.
type filterFlags struct {
	After       int64          `placeholder:"IDX" help:"Only events after this idx."`
	UpTo        int64          `placeholder:"IDX" help:"Only events up to this idx."`
	Since       time.Time      `placeholder:"INSTANT" help:"Only events recorded at or after it."`
	Until       time.Time      `placeholder:"INSTANT" help:"Only events recorded before it."`
	Tenant      string         `help:"Only events of this practice."`
	Stream      uuid.UUID      `placeholder:"UUID" help:"Only events of this stream."`
	Patient     patient.ID     `placeholder:"UUID" help:"Only events that concern this patient. That you asked is recorded."`
	Application application.ID `placeholder:"UUID" help:"Only events that this application caused or that concern it."`
	User        string         `placeholder:"USERNAME" help:"Only events that this member of staff caused or that concern them: a username, with --tenant, or an identifier."`
	Event       []string       `placeholder:"NAME" help:"Only events of this name; may be repeated. A name without its version stands for all of them."`
}

// filter is filterFlags in whose words the database is asked.
type filter struct {
	filterFlags
	staff uuid.UUID
}

var errUserWithoutTenant = fault.New(fault.Invalid, "user-without-tenant", "--user with a username needs --tenant: usernames are a practice's own.")

// resolve finds the member of staff.
func (f filterFlags) resolve(ctx context.Context, engine *app.Engine) (filter, error) {
	found := filter{filterFlags: f}
	id, err := uuid.Parse(f.User)
	switch {
	case f.User == "":
		return found, nil
	case err == nil:
		found.staff = id
		return found, nil
	case f.Tenant == "":
		return found, errUserWithoutTenant
	}
	member, err := engine.Staff.AnyStaffByUsername(ctx, f.Tenant, f.User)
	found.staff = member.UUID
	return found, err
}

// events yields those that pass, up to an idx. Those of one patient are looked
// up; otherwise the whole range is read, so that a gap in it is seen.
func (f filter) events(ctx context.Context, engine *app.Engine, upTo int64) iter.Seq2[event.Recorded, error] {
	all := engine.Log.After(ctx, f.After)
	if f.Patient.UUID != uuid.Nil {
		all = engine.Log.OfPatient(ctx, f.Patient.UUID, f.After)
	}
	return func(yield func(event.Recorded, error) bool) {
		for e, err := range all {
			if err == nil && e.Idx > upTo {
				return
			}
			if err == nil && !f.passes(e) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (f filter) passes(e event.Recorded) bool {
	return (f.Tenant == "" || e.Stream.Tenant == f.Tenant) &&
		(f.Stream == uuid.Nil || e.Stream.ID == f.Stream) &&
		(f.Since.IsZero() || !e.At.Before(f.Since)) &&
		(f.Until.IsZero() || e.At.Before(f.Until)) &&
		(len(f.Event) == 0 || slices.ContainsFunc(f.Event, func(name string) bool { return isCalled(e, name) })) &&
		(f.Application.UUID == uuid.Nil || involves(e, f.Application.UUID)) &&
		(f.staff == uuid.Nil || involves(e, f.staff))
}

func isCalled(e event.Recorded, name string) bool {
	return e.EventName() == name || strings.HasPrefix(e.EventName(), name+".v")
}

// involves reports whether somebody caused an event, or is named by it or by
// its stream.
func involves(e event.Recorded, id uuid.UUID) bool {
	actor := e.Metadata.Actor
	if e.Stream.ID == id || actor.Application == id || actor.ID == id.String() {
		return true
	}
	data, err := json.Marshal(e.Event)
	return err == nil && bytes.Contains(data, []byte(`"`+id.String()+`"`))
}

// text is the filter as it is recorded: key=value&….
func (f filter) text() string {
	values := url.Values{}
	set := func(key, value string, given bool) {
		if given {
			values.Add(key, value)
		}
	}
	set("after", strconv.FormatInt(f.After, 10), f.After > 0)
	set("up-to", strconv.FormatInt(f.UpTo, 10), f.UpTo > 0)
	set("since", f.Since.UTC().Format(time.RFC3339Nano), !f.Since.IsZero())
	set("until", f.Until.UTC().Format(time.RFC3339Nano), !f.Until.IsZero())
	set("tenant", f.Tenant, f.Tenant != "")
	set("stream", f.Stream.String(), f.Stream != uuid.Nil)
	set("patient", f.Patient.String(), f.Patient.UUID != uuid.Nil)
	set("application", f.Application.String(), f.Application.UUID != uuid.Nil)
	set("user", f.staff.String(), f.staff != uuid.Nil)
	for _, name := range f.Event {
		set("event", name, true)
	}
	return values.Encode()
}

// reading is what an auditor is about to be shown.
type reading struct {
	command  string
	filter   filter
	personal bool
}

// record appends that so much is about to be shown, if it is of patients
// (D37). Nothing may be shown when it fails.
func (r reading) record(ctx context.Context, engine *app.Engine, count int64) error {
	if !r.personal && r.filter.Patient.UUID == uuid.Nil {
		return nil
	}
	err := engine.Auditor.RecordReading(ctx, r.filter.Tenant, machineUser(), audit.Queried{
		Command: r.command, Filter: r.filter.text(), Patient: r.filter.Patient, Personal: r.personal, Count: count,
	})
	if err != nil {
		return fmt.Errorf("nothing is shown, because it could not be recorded that it was: %w", err)
	}
	return nil
}

// count is how many events are about to be shown.
func (f filter) count(ctx context.Context, engine *app.Engine, upTo int64) (n int64, err error) {
	for _, err := range f.events(ctx, engine, upTo) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

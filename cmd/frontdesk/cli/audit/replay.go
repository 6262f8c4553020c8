package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

type auditReplayCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	AsOf                string `required:"" placeholder:"INSTANT|IDX" help:"When: an instant, or an idx of the log."`
	Tenant              string `help:"Only this practice."`
	Keep                string `placeholder:"SCHEMA" help:"Keep the read models as of that instant in a schema of this name, for your own queries. It needs the owner's rights."`
	JSON                bool   `name:"json" help:"Print JSON: the idx, then one object a practice."`
}

var (
	errAsOf   = fault.New(fault.Invalid, "invalid-as-of", "--as-of is an instant such as 2026-03-02T12:00:00Z, or an idx from 1.")
	errSchema = fault.New(fault.Invalid, "invalid-schema", "--keep is a name of lower-case letters, digits and _ that is not public.")
)

var schemaForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

func (c *auditReplayCmd) until() (replay.Until, error) {
	var place term.Idx
	if place.UnmarshalText([]byte(c.AsOf)) == nil {
		return replay.Until{Idx: int64(place)}, nil
	}
	at, ok := parse.Instant(c.AsOf)
	if !ok {
		return replay.Until{}, errAsOf
	}
	return replay.Until{Instant: at}, nil
}

func (c *auditReplayCmd) schema() (string, error) {
	switch {
	case c.Keep == "":
		return replay.Temporary, nil
	case !schemaForm.MatchString(c.Keep) || c.Keep == "public":
		return "", errSchema
	}
	return c.Keep, nil
}

// Run replays the log and prints the responses that the service would have given then.
func (c *auditReplayCmd) Run(r *term.Run) error {
	until, err := c.until()
	if err != nil {
		return err
	}
	schema, err := c.schema()
	if err != nil {
		return err
	}
	engine, err := c.OpenAll(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	meter := term.NewMeter(r.Raw.Err, "replaying", "events")
	past, err := engine.Auditor.AsOf(r.Context, until, schema, meter.Show)
	meter.End()
	if err != nil {
		return err
	}
	defer past.Close()
	at := until.Instant
	if at.IsZero() {
		at = past.At
	}
	practices, err := auditing.PracticesAsOf(r.Context, past, c.Tenant, at)
	if err != nil {
		return err
	}
	return c.print(r.Out, past.Idx, at, practices)
}

// practiceThen is a practice as a machine reads it.
type practiceThen struct {
	Tenant         string              `json:"tenant"`
	Applications   any                 `json:"applications"`
	Authorisations []authorisationThen `json:"authorisations"`
	RequestTypes   []requestTypeThen   `json:"requestTypes"`
}

type authorisationThen struct {
	Application application.ID `json:"application"`
	Username    string         `json:"username"`
	Patient     uuid.UUID      `json:"patient,omitzero"` // zero for a standing authorisation
	ExpiresAt   time.Time      `json:"expiresAt"`
	Usable      bool           `json:"usable"` // the application is enabled
}

type requestTypeThen struct {
	RequestType string `json:"requestType"`
	Status      string `json:"status"`
}

func thenOf(p auditing.PracticeAsOf) practiceThen {
	then := practiceThen{p.Tenant, p.Applications, []authorisationThen{}, []requestTypeThen{}}
	for _, a := range p.Authorisations {
		then.Authorisations = append(then.Authorisations, authorisationThen{
			a.Application, a.Username, a.Patient.UUID, a.ExpiresAt.UTC(), a.Enabled,
		})
	}
	for _, t := range p.RequestTypes {
		then.RequestTypes = append(then.RequestTypes, requestTypeThen{string(t.Type), string(t.Status)})
	}
	return then
}

func (c *auditReplayCmd) print(w io.Writer, idx int64, at time.Time, practices []auditing.PracticeAsOf) error {
	encoder := json.NewEncoder(w)
	if !c.JSON {
		fmt.Fprintf(w, "as of %s: the log up to idx %d\n", at.UTC().Format(time.RFC3339Nano), idx)
	} else if err := encoder.Encode(map[string]any{"idx": idx, "at": at.UTC()}); err != nil {
		return err
	}
	for _, p := range practices {
		then := thenOf(p)
		if c.JSON {
			if err := encoder.Encode(then); err != nil {
				return err
			}
			continue
		}
		if err := then.table(w, p); err != nil {
			return err
		}
	}
	return nil
}

func (t practiceThen) table(w io.Writer, p auditing.PracticeAsOf) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "\n%s\n", t.Tenant)
	var failed error
	say := func(cells ...any) { failed = errors.Join(failed, term.Row(table, cells...)) }
	for _, a := range p.Applications {
		say("  enabled", a.Application, a.Name, fmt.Sprintf("%d grants", len(a.Grants)))
	}
	for _, a := range t.Authorisations {
		whom := "every patient"
		if a.Patient != uuid.Nil {
			whom = "patient " + a.Patient.String()
		}
		say("  authorised", a.Application, fmt.Sprintf("by %s for %s", a.Username, whom), "until "+a.ExpiresAt.Format(time.RFC3339))
	}
	for _, r := range t.RequestTypes {
		say("  requests", r.RequestType, r.Status)
	}
	return errors.Join(failed, table.Flush())
}

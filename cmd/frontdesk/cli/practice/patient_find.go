package practice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

type findPatientCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	Tenant              string `required:"" help:"The practice's tenant identifier."`
	Name                string `required:"" help:"Any parts of the patient's name, in any order. Case and accents do not matter."`
	JSON                bool   `name:"json" help:"Print one JSON object."`
}

// mostFound is how many patients are shown.
const mostFound = 50

var errNoSearch = fault.New(fault.Invalid, "missing-name", "Give a part of the patient's name.")

// Run prints who is found, once it is recorded who they are.
func (c *findPatientCmd) Run(r *term.Run) error {
	if strings.TrimSpace(c.Name) == "" {
		return errNoSearch
	}
	ctx, cancel := context.WithTimeout(r.Context, term.CommandLimit)
	defer cancel()
	engine, err := c.OpenAll(r, c.MasterKeyFlags)
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Signposts().Of(ctx, c.Tenant); err != nil {
		return err
	}
	found, more, err := engine.Book().Search(ctx, c.Tenant, c.Name, mostFound)
	if err != nil {
		return err
	}
	if err := c.record(r, engine, found); err != nil {
		return err
	}
	return c.print(r.Out, found, more)
}

// record appends which names are about to be shown, and not the search terms.
func (c *findPatientCmd) record(r *term.Run, engine *app.Engine, found []projections.Found) error {
	filter := url.Values{"tenant": {c.Tenant}}
	for _, f := range found {
		filter.Add("patient", f.Patient.String())
	}
	return r.RecordReading(engine, c.Tenant, audit.Queried{
		Command: "find-patient", Filter: filter.Encode(), Personal: true, Count: int64(len(found)),
	})
}

type foundPatient struct {
	Patient   patient.ID `json:"patientId"`
	Name      string     `json:"name"`
	BirthDate string     `json:"birthDate,omitempty"`
}

func (c *findPatientCmd) print(w io.Writer, found []projections.Found, more bool) error {
	all := []foundPatient{}
	for _, f := range found {
		all = append(all, foundPatient{f.Patient, f.Name, f.BirthDate})
	}
	if c.JSON {
		return json.NewEncoder(w).Encode(map[string]any{"patients": all, "more": more})
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	var failed error
	for _, f := range all {
		failed = errors.Join(failed, term.Row(table, f.Patient, f.Name, f.BirthDate))
	}
	failed = errors.Join(failed, table.Flush())
	if more {
		fmt.Fprintf(w, "there are more: these are the first %d; give more of the name\n", mostFound)
	}
	return failed
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// shownCall is a line of the access record.
type shownCall struct {
	access.Call
	Outcome access.Outcome `json:"outcome"`
}

// print prints for machines or for people.
func (c *auditCallsCmd) print(w io.Writer, calls []access.Call) error {
	if !c.JSON {
		return c.printTable(w, calls)
	}
	for _, call := range calls {
		data, err := c.shown(shownCall{call, call.Outcome()})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", data); err != nil {
			return err
		}
	}
	return nil
}

func (c *auditCallsCmd) printTable(w io.Writer, calls []access.Call) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "AT\tREQUEST\tTENANT\tENDPOINT\tOUTCOME\tSTATUS\tAPPLICATION\tSTAFF\tPATIENT\tFOR\tWHY")
	for _, call := range calls {
		behalf, err := c.behalf(call.Act)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n",
			call.At.Format(time.RFC3339), call.RequestID, call.Tenant, call.Endpoint, call.Outcome(), call.Status,
			call.Application, orDash(call.Staff.UUID), orDash(call.Patient.UUID), behalf, call.Reason)
	}
	return table.Flush()
}

func (c *auditCallsCmd) shown(v any) ([]byte, error) {
	if c.ShowPersonal {
		return json.Marshal(v)
	}
	return event.Redacted(v)
}

// behalf is the practitioner and the organisation that an application said it
// called for (§5.2).
func (c *auditCallsCmd) behalf(act *event.OnBehalfOf) (string, error) {
	if act == nil {
		return "-", nil
	}
	data, err := c.shown(act)
	if err != nil {
		return "", err
	}
	var shown event.OnBehalfOf
	err = json.Unmarshal(data, &shown)
	return shown.Practitioner.Name + ", " + shown.Organisation.Name, err
}

func orDash(id uuid.UUID) string {
	if id == uuid.Nil {
		return "-"
	}
	return id.String()
}

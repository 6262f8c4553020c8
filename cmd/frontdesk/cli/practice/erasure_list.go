package practice

import (
	"slices"
	"time"

	"frontdesk/adapters/ledger"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/erasure"
	"frontdesk/projections"
)

type listErasuresCmd struct {
	term.DatabaseFlag `embed:""`
	term.LedgerFlag   `embed:""`
	Tenant            string `required:"" help:"The practice's tenant identifier."`
	JSON              bool   `name:"json" help:"Print one JSON object a line."`
}

// listedErasure is an erasure as it is listed.
type listedErasure struct {
	Erasure  erasure.ID    `json:"erasure"`
	Kind     string        `json:"kind"`
	Person   string        `json:"person"`
	ErasedAt time.Time     `json:"erasedAt"`
	Basis    erasure.Basis `json:"basis,omitempty"`
	Final    bool          `json:"final"`
	FinalAt  time.Time     `json:"finalFrom,omitzero"`  // it can become final then
	Since    time.Time     `json:"finalSince,omitzero"` // it is final since then
	Ledger   *bool         `json:"inLedger,omitempty"`  // absent without a ledger
	State    string        `json:"state"`
}

// Run lists the erasures, newest first.
func (c *listErasuresCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Signposts().Of(r.Context, c.Tenant); err != nil {
		return err
	}
	noted, err := c.noted()
	if err != nil {
		return err
	}
	rfc3339 := func(at time.Time) string { return at.UTC().Format(time.RFC3339) }
	list := term.Register[listedErasure]{
		Header: "ERASURE|KIND|PERSON|ERASED|IN LEDGER|STATE",
		Cells: func(e listedErasure) []any {
			inLedger := "-"
			if e.Ledger != nil {
				inLedger = map[bool]string{true: "yes", false: "no"}[*e.Ledger]
			}
			return []any{e.Erasure, e.Kind, e.Person, rfc3339(e.ErasedAt), inLedger, e.State}
		},
		Next: func(after listedErasure) (page []listedErasure, err error) {
			done, err := engine.Erasures().Done(r.Context, c.Tenant, after.Erasure, term.TableLines)
			for _, d := range done {
				page = append(page, listedErasure{
					Erasure: d.Erasure, Kind: d.Kind.String(), Person: d.Holder.String(), ErasedAt: d.ErasedAt.UTC(), Basis: d.Basis,
					Final: d.Finality.Final(), FinalAt: d.Finality.From, Since: d.Finality.Since, Ledger: noted(d), State: d.Finality.Sentence(rfc3339),
				})
			}
			return page, err
		},
	}
	return list.Write(r, c.JSON)
}

// noted returns a function that reports whether the ledger has an erasure; it returns nil
// without a ledger.
func (c *listErasuresCmd) noted() (func(projections.DoneErasure) *bool, error) {
	if c.ErasureLedger == "" {
		return func(projections.DoneErasure) *bool { return nil }, nil
	}
	lines, err := ledger.File{Name: c.ErasureLedger}.Lines()
	if err != nil {
		return nil, err
	}
	return func(d projections.DoneErasure) *bool {
		return new(slices.ContainsFunc(lines, func(l erasure.Line) bool { return l.Person == d.Person }))
	}, nil
}

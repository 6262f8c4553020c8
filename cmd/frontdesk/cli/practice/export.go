package practice

import (
	"frontdesk/cmd/frontdesk/apply"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
)

type exportPracticeCmd struct {
	term.DatabaseFlag `embed:""`
	term.ShowingFlags `embed:""`
	Tenant            string `required:"" help:"The practice's tenant identifier."`
}

// Run writes the practice's document. Names and addresses of staff are personal, so showing
// them is recorded before (D37).
func (c *exportPracticeCmd) Run(r *term.Run) error {
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	now, err := nowAt(r, engine, c.Tenant)
	if err != nil {
		return err
	}
	declared, err := engine.Current().Practice(r.Context, c.Tenant, now, c.ShowPersonal)
	if err != nil {
		return err
	}
	if c.ShowPersonal {
		if err := recordPersonal(r, engine, c.Tenant, "export-practice", int64(len(declared.Staff))); err != nil {
			return err
		}
	}
	return apply.Write(r.Out, declared)
}

type exportApplicationCmd struct {
	term.DatabaseFlag `embed:""`
	Application       application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

func (c *exportApplicationCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	declared, err := engine.Current().Application(r.Context, c.Application)
	if err != nil {
		return err
	}
	return apply.Write(r.Out, declared)
}

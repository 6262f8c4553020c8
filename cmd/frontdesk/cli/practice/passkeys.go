package practice

import (
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

type setPasskeyRuleCmd struct {
	term.PracticeFlags `embed:""`
	Role               []staff.Role `sep:"none" placeholder:"ROLE" xor:"roles" required:"" help:"Role that needs a passkey: receptionist, clinician, manager or privacy-officer. Repeat for several."`
	None               bool         `xor:"roles" required:"" help:"No role needs a passkey."`
}

func (c *setPasskeyRuleCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.SetPasskeyRule, commands.SetPasskeyRule{Tenant: c.Tenant, Roles: c.Role, Seen: -1})
}

type listPasskeyRolesCmd struct {
	listFlags `embed:""`
}

// passkeyRole says whether a role needs a passkey.
type passkeyRole struct {
	Role  staff.Role `json:"role"`
	Needs bool       `json:"needsPasskey"`
}

func (c *listPasskeyRolesCmd) Run(r *term.Run) error {
	engine, err := c.openPractice(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	needing, err := engine.PasskeyRules().Roles(r.Context, c.Tenant)
	if err != nil {
		return err
	}
	return term.Register[passkeyRole]{
		Header: "ROLE|NEEDS A PASSKEY",
		Cells:  func(p passkeyRole) []any { return []any{p.Role, p.Needs} },
		Next: func(after passkeyRole) (page []passkeyRole, err error) {
			if after.Role != "" {
				return nil, nil
			}
			for _, role := range staff.AllRoles() {
				page = append(page, passkeyRole{role, needing.Has(role)})
			}
			return page, nil
		},
	}.Write(r, c.JSON)
}

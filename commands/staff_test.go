package commands_test

import (
	"context"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

func TestStaffComeAndGo_D14_D35(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	var id staff.ID
	register := func(c commands.RegisterStaff) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			id, err = commands.Desk{Store: s}.RegisterStaff(ctx, c)
			return err
		}
	}
	leaves := func(tenant, username string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s, Staff: s}.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: tenant, Username: username})
		}
	}
	lee := commands.RegisterStaff{Tenant: elm, Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Roles: staff.Roles{staff.Manager, staff.Clinician}}
	with := func(change func(*commands.RegisterStaff)) func(context.Context) error {
		c := lee
		change(&c)
		return register(c)
	}
	s.play(t,
		step{"unknown practice", with(func(c *commands.RegisterStaff) { c.Tenant = unknownName }), nil, practice.ErrUnknown},
		step{"no username", with(func(c *commands.RegisterStaff) { c.Username = "" }), nil, staff.ErrInvalidUsername},
		step{"a UUID for a username", with(func(c *commands.RegisterStaff) { c.Username = unknownPatient.String() }), nil, staff.ErrInvalidUsername},
		step{"no name", with(func(c *commands.RegisterStaff) { c.Name = "" }), nil, staff.ErrNameless},
		step{"no address", with(func(c *commands.RegisterStaff) { c.Email = "lee" }), nil, staff.ErrInvalidEmail},
		step{"no role", with(func(c *commands.RegisterStaff) { c.Roles = staff.Roles{"administrator"} }), nil, staff.ErrUnknownRole},
		step{"registered", register(lee), []event.Event{
			staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"},
			staff.RolesSet{Roles: staff.Roles{staff.Clinician, staff.Manager}},
		}, nil},
		step{"another practice's", leaves(oak, "dr.lee"), nil, staff.ErrUnknown},
		step{"another case", leaves(elm, "Dr.Lee"), nil, staff.ErrUnknown},
		step{"gone", leaves(elm, "dr.lee"), []event.Event{staff.Deactivated{}}, nil},
		step{"gone already", leaves(elm, "dr.lee"), nil, nil},
	)
	if last := s.Log()[len(s.Log())-1]; id.Version() != 7 || last.Stream != staff.StreamOf(elm, id) {
		t.Errorf("the identifier returned is %s, the stream %v", id, last.Stream)
	}
}

package commands_test

import (
	"context"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

func TestAPracticeIsRegisteredOnce_D35(t *testing.T) {
	t.Parallel()
	register := func(s *story, tenant, name, zone string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: name, TimeZone: zone})
		}
	}
	s := &story{Store: commandtest.NewStore(), tenant: elm}
	s.play(t,
		step{"no label", register(s, "Elm Street", "Elm", ""), nil, practice.ErrInvalidTenant},
		step{"too long a label", register(s, strings.Repeat("e", 64), "Elm", ""), nil, practice.ErrInvalidTenant},
		step{"no name", register(s, elm, "", ""), nil, practice.ErrNameless},
		step{"no zone", register(s, elm, "Elm", "Europe/Elm"), nil, practice.ErrUnknownTimeZone},
		step{"registered", register(s, elm, "Elm", ""), []event.Event{practice.Registered{Name: "Elm", TimeZone: "Europe/London"}}, nil},
		step{"taken", register(s, elm, "Elm", ""), nil, practice.ErrTenantTaken},
	)
	s.tenant = oak
	s.play(t, step{"in its own zone", register(s, oak, "Oak", "Europe/Dublin"),
		[]event.Event{practice.Registered{Name: "Oak", TimeZone: "Europe/Dublin"}}, nil})
}

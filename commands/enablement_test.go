package commands_test

import (
	"context"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

func TestEnableAndDisableApplication_5_6(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	id, other := s.application(t, "Referrals", false), s.application(t, "Diary", false)
	enable := func(tenant string, id application.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id})
		}
	}
	disable := func(tenant string, id application.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.DisableApplication(ctx, commands.DisableApplication{Tenant: tenant, Application: id})
		}
	}
	enabled, disabled := practice.ApplicationEnabled{Application: id}, practice.ApplicationDisabled{Application: id}
	s.play(t,
		step{"unknown practice", enable(unknownName, id), nil, practice.ErrUnknown},
		step{"unknown application", enable(elm, unknownApplication), nil, application.ErrUnknown},
		step{"not enabled yet", disable(elm, id), nil, nil},
		step{"enabled", enable(elm, id), []event.Event{enabled}, nil},
		step{"enabled already", enable(elm, id), nil, nil},
		step{"another one is not", disable(elm, other), nil, nil},
		step{"disabling it at another practice changes nothing", disable(oak, id), nil, nil},
		step{"disabled", disable(elm, id), []event.Event{disabled}, nil},
		step{"disabled already", disable(elm, id), nil, nil},
		step{"enabled again", enable(elm, id), []event.Event{enabled}, nil},
		step{"unknown practice disables", disable(unknownName, id), nil, practice.ErrUnknown},
		step{"unknown application is disabled", disable(elm, unknownApplication), nil, application.ErrUnknown},
	)
}

package commands_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// openTo is a practice whose every record is open to one member of staff.
type openTo struct {
	member staff.ID
	err    error
}

func (o openTo) RecordOpenTo(_ context.Context, tenant string, _ patient.ID, member staff.ID) (bool, error) {
	return tenant == elm && member == o.member, o.err
}

func TestARestrictedRecordIsClosedToOtherUsersAlone_D17(t *testing.T) {
	t.Parallel()
	lee, kim := staff.ID{UUID: uuid.New()}, staff.ID{UUID: uuid.New()}
	asUser := func(member staff.ID) commands.Caller {
		return commands.Caller{Tenant: elm, Mode: application.UserRestricted, Staff: member}
	}
	broken := errors.New("the database is away")
	for name, c := range map[string]struct {
		caller  commands.Caller
		records openTo
		want    error
	}{
		"named user":       {asUser(lee), openTo{member: lee}, nil},
		"another user":     {asUser(kim), openTo{member: lee}, commands.ErrRecordRestricted},
		"nobody's user":    {asUser(staff.ID{}), openTo{member: lee}, commands.ErrRecordRestricted},
		"an application":   {commands.Caller{Tenant: elm, Mode: application.ApplicationRestricted}, openTo{member: lee}, nil},
		"cannot be judged": {asUser(lee), openTo{member: lee, err: broken}, broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.caller.CheckRecord(t.Context(), c.records, patient.ID{UUID: uuid.New()}); !errors.Is(err, c.want) {
				t.Errorf("error = %v, want %v", err, c.want)
			}
		})
	}
}

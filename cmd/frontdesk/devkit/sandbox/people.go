package sandbox

import (
	"context"
	"errors"
	"slices"

	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// sam is who the documents and the sandbox's application speak of.
var sam = Staff{Username: "sam.taylor", Name: "Dr Sam Taylor", Email: "sam.taylor@sandbox.example", Role: staff.Manager}

// colleagues are one person of each other role.
func colleagues() []Staff {
	return []Staff{
		{Username: "robin.reed", Name: "Robin Reed", Email: "robin.reed@sandbox.example", Role: staff.Receptionist},
		{Username: "alex.hughes", Name: "Dr Alex Hughes", Email: "alex.hughes@sandbox.example", Role: staff.Clinician},
		{Username: "jo.price", Name: "Jo Price", Email: "jo.price@sandbox.example", Role: staff.PrivacyOfficer},
	}
}

// plantColleagues registers those of the people that the seed lacks. It records each before
// the next.
func plantColleagues(ctx context.Context, desk commands.Desk, file string, s *seed, people []Staff) error {
	for _, person := range people {
		if slices.ContainsFunc(s.Colleagues, func(known Staff) bool { return known.Username == person.Username }) {
			continue
		}
		if err := plantStaff(ctx, desk, person); err != nil {
			return err
		}
		var err error
		if person.Password, err = plantPassword(ctx, desk, person.Username); err != nil {
			return err
		}
		s.Colleagues = append(s.Colleagues, person)
		if err := writeJSON(file, s); err != nil {
			return err
		}
	}
	return nil
}

// plantStaff registers a member of staff, unless an earlier start that was cut short has.
func plantStaff(ctx context.Context, desk commands.Desk, person Staff) error {
	roles := staff.Roles{person.Role}
	if person.OtherRole != "" {
		roles = append(roles, person.OtherRole)
	}
	_, err := desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: tenant, Username: person.Username, Name: person.Name, Email: person.Email, Roles: roles,
	})
	if errors.Is(err, staff.ErrUsernameTaken) {
		return nil
	}
	return err
}

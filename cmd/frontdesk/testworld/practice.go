package testworld

import (
	"strings"

	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Password is the password of every member of staff.
const Password = "coffee tin fish"

// Practice registers a practice, which is named after its tenant: "elm-street" is Elm
// Street. It returns the tenant.
func (w *World) Practice(tenant string) string {
	w.tb.Helper()
	Must(w.tb, w.Desk.RegisterPractice(w.tb.Context(), commands.RegisterPractice{Tenant: tenant, Name: nameOf(tenant)}))
	return tenant
}

// Member registers a member of staff, named after the username: "dr.lee" is Dr Lee.
func (w *World) Member(tenant, username string, roles ...staff.Role) staff.ID {
	w.tb.Helper()
	id, err := w.Desk.RegisterStaff(w.tb.Context(), commands.RegisterStaff{
		Tenant: tenant, Username: username, Name: nameOf(username), Email: username + "@practice.example", Roles: roles, Password: Password,
	})
	Must(w.tb, err)
	return id
}

// Patient registers a patient.
func (w *World) Patient(tenant, name string) patient.ID {
	w.tb.Helper()
	id, err := w.Desk.RegisterPatient(w.tb.Context(), commands.RegisterPatient{Tenant: tenant, Name: name})
	Must(w.tb, err)
	return id
}

// nameOf writes an identifier as a name.
func nameOf(identifier string) string {
	words := strings.FieldsFunc(identifier, func(r rune) bool { return r == '-' || r == '.' })
	for n, word := range words {
		words[n] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

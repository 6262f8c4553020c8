package staff

import (
	"slices"

	"frontdesk/domain/fault"
)

// Role is what somebody does at the practice. A member of staff has any number of them.
type Role string

// The roles.
const (
	Receptionist   Role = "receptionist"
	Clinician      Role = "clinician"
	Manager        Role = "manager" // who decides about the practice and its staff
	PrivacyOfficer Role = "privacy-officer"
)

// AllRoles returns every role, in the order in which people are shown them.
func AllRoles() []Role { return []Role{Receptionist, Clinician, Manager, PrivacyOfficer} }

// ErrUnknownRole refuses a role that is none.
var ErrUnknownRole = fault.New(fault.Invalid, "unknown-role", "Choose roles from receptionist, clinician, manager and privacy-officer.")

// Roles are those of one member of staff, each once, in the order of [AllRoles].
type Roles []Role

// RolesOf returns roles without repetition, in order, or [ErrUnknownRole].
func RolesOf(named ...Role) (Roles, error) {
	roles := Roles{}
	for _, role := range AllRoles() {
		if slices.Contains(named, role) {
			roles = append(roles, role)
		}
	}
	for _, role := range named {
		if !slices.Contains(roles, role) {
			return nil, ErrUnknownRole
		}
	}
	return roles, nil
}

// Has reports whether a role is among them.
func (r Roles) Has(role Role) bool { return slices.Contains(r, role) }

// Action is something that a member of staff does on the practice's pages.
type Action string

// The actions of the pages. Each has its line in the table of rights.
const (
	ManageOwnAccount        Action = "manage-own-account"
	GiveOwnAuthorisations   Action = "give-own-authorisations" // and end them
	EndOthersAuthorisations Action = "end-others-authorisations"
	ManagePeople            Action = "manage-people"
	HandleRequests          Action = "handle-requests"
	SeePatients             Action = "see-patients"
	RunTheDay               Action = "run-the-day"
	ManageOpening           Action = "manage-opening"
	ManageSites             Action = "manage-sites"
	ManageDisplays          Action = "manage-displays"
	ManageApplications      Action = "manage-applications"
	GuardPrivacy            Action = "guard-privacy"
)

// everybody who is signed in, whatever their roles.
var everybody []Role

// rights says which roles may do what on the practice's pages. It binds the pages
// alone: calls of the Transactional API are judged by grant, authorisation, scope and
// restriction, and an operator's act by no role (D63).
var rights = map[Action][]Role{
	ManageOwnAccount:        everybody,
	GiveOwnAuthorisations:   everybody,
	EndOthersAuthorisations: {Manager},
	ManagePeople:            {Manager},
	HandleRequests:          {Receptionist, Clinician},
	SeePatients:             {Receptionist, Clinician},
	RunTheDay:               {Receptionist, Clinician},
	ManageOpening:           {Manager},
	ManageSites:             {Manager},
	ManageDisplays:          {Manager},
	ManageApplications:      {Manager},
	GuardPrivacy:            {PrivacyOfficer},
}

// May reports whether somebody with these roles may do it. Nobody may do what has no
// line in the table.
func (r Roles) May(action Action) bool {
	of, known := rights[action]
	return known && (of == nil || slices.ContainsFunc(of, r.Has))
}

// RolesWhoMay returns the roles of which any one is enough; none if everybody may who is
// signed in.
func RolesWhoMay(action Action) []Role { return slices.Clone(rights[action]) }

package staff

import (
	"slices"

	"frontdesk/domain/fault"
)

// Role is the function of a member of staff at the practice. They have any number of
// them.
type Role string

// The roles.
const (
	Receptionist   Role = "receptionist"
	Clinician      Role = "clinician"
	Manager        Role = "manager" // decides about the practice and its staff
	PrivacyOfficer Role = "privacy-officer"
)

// AllRoles returns every role, in the order in which pages show them.
func AllRoles() []Role { return []Role{Receptionist, Clinician, Manager, PrivacyOfficer} }

// ErrUnknownRole refuses a role that does not exist.
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

// Action is an action of a member of staff on the practice's pages.
type Action string

// The actions of the pages. Each has its line in the table of rights.
const (
	ManageOwnAccount        Action = "manage-own-account"
	GiveOwnAuthorisations   Action = "give-own-authorisations" // and end them
	EndOthersAuthorisations Action = "end-others-authorisations"
	ManagePeople            Action = "manage-people"
	RequirePasskeys         Action = "require-passkeys" // of roles
	HandleRequests          Action = "handle-requests"
	SeePatients             Action = "see-patients"
	RunTheDay               Action = "run-the-day"
	SeeOverview             Action = "see-overview" // of the work, in numbers
	ManageOpening           Action = "manage-opening"
	ManageSites             Action = "manage-sites"
	ManageDisplays          Action = "manage-displays"
	ManageApplications      Action = "manage-applications"
	GuardPrivacy            Action = "guard-privacy"
	SeeInformation          Action = "see-subject-access-information" // the practice's texts
	EditInformation         Action = "edit-subject-access-information"
	EditNoteTemplates       Action = "edit-note-templates"
	ManageTeams             Action = "manage-teams" // which get requests
)

// allStaff is all staff who are signed in, whatever their roles.
var allStaff []Role

// rights has the roles that may do each action on the practice's pages. It binds only
// the pages: calls of the Transactional API are judged by grant, authorisation, scope
// and restriction, and an operator's act by no role (D63).
var rights = map[Action][]Role{
	ManageOwnAccount:        allStaff,
	GiveOwnAuthorisations:   allStaff,
	EndOthersAuthorisations: {Manager},
	ManagePeople:            {Manager},
	RequirePasskeys:         {Manager},
	HandleRequests:          {Receptionist, Clinician},
	SeePatients:             {Receptionist, Clinician},
	RunTheDay:               {Receptionist, Clinician},
	SeeOverview:             {Manager},
	ManageOpening:           {Manager},
	ManageSites:             {Manager},
	ManageDisplays:          {Manager},
	ManageApplications:      {Manager},
	GuardPrivacy:            {PrivacyOfficer},
	SeeInformation:          {Manager, PrivacyOfficer},
	EditInformation:         {Manager},
	EditNoteTemplates:       {Manager},
	ManageTeams:             {Manager},
}

// May reports whether a member with these roles may do it. An action without a line in
// the table is never allowed.
func (r Roles) May(action Action) bool {
	of, known := rights[action]
	return known && (of == nil || slices.ContainsFunc(of, r.Has))
}

// RolesWhoMay returns the roles of which any one is enough; none if all staff who are
// signed in may.
func RolesWhoMay(action Action) []Role { return slices.Clone(rights[action]) }

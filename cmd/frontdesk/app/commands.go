package app

import (
	"frontdesk/commands"
	"frontdesk/projections"
)

// Commands is the table of contents of all that can be intended.
type Commands struct {
	RegisterPractice   commands.RegisterPracticeHandler
	EnableApplication  commands.EnableApplicationHandler
	DisableApplication commands.DisableApplicationHandler

	RegisterApplication commands.RegisterApplicationHandler
	SetJWKSURL          commands.SetJWKSURLHandler
	AddCallback         commands.AddCallbackHandler
	RemoveCallback      commands.RemoveCallbackHandler
	GrantEndpoint       commands.GrantEndpointHandler
	RevokeEndpoint      commands.RevokeEndpointHandler
	MarkPatientScoped   commands.MarkPatientScopedHandler
	UnmarkPatientScoped commands.UnmarkPatientScopedHandler

	RegisterStaff   commands.RegisterStaffHandler
	DeactivateStaff commands.DeactivateStaffHandler

	GrantUserAuthorisation          commands.GrantUserAuthorisationHandler
	GrantPatientScopedAuthorisation commands.GrantPatientScopedAuthorisationHandler
	RevokeUserAuthorisation         commands.RevokeUserAuthorisationHandler

	RegisterPatient       commands.RegisterPatientHandler
	RestrictPatientRecord commands.RestrictPatientRecordHandler

	SubmitPatientRequest commands.SubmitPatientRequestHandler
}

// On is the commands over a store: the engine's own, or one that listens in on
// what is appended.
func (e *Engine) On(store commands.Store) Commands {
	now, lifetime, checkURL := e.config.Now, e.config.AuthorisationLifetime, e.guard().CheckURL
	return Commands{
		RegisterPractice:   commands.RegisterPracticeHandler{Store: store},
		EnableApplication:  commands.EnableApplicationHandler{Store: store},
		DisableApplication: commands.DisableApplicationHandler{Store: store},

		RegisterApplication: commands.RegisterApplicationHandler{Store: store, CheckURL: checkURL},
		SetJWKSURL:          commands.SetJWKSURLHandler{Store: store, CheckURL: checkURL},
		AddCallback:         commands.AddCallbackHandler{Store: store},
		RemoveCallback:      commands.RemoveCallbackHandler{Store: store},
		GrantEndpoint:       commands.GrantEndpointHandler{Store: store},
		RevokeEndpoint:      commands.RevokeEndpointHandler{Store: store},
		MarkPatientScoped:   commands.MarkPatientScopedHandler{Store: store},
		UnmarkPatientScoped: commands.UnmarkPatientScopedHandler{Store: store},

		RegisterStaff:   commands.RegisterStaffHandler{Store: store},
		DeactivateStaff: commands.DeactivateStaffHandler{Store: store, Staff: e.Staff},

		GrantUserAuthorisation: commands.GrantUserAuthorisationHandler{
			Store: store, Staff: e.Staff, Now: now, Lifetime: lifetime},
		GrantPatientScopedAuthorisation: commands.GrantPatientScopedAuthorisationHandler{
			Store: store, Staff: e.Staff, Now: now, Lifetime: lifetime},
		RevokeUserAuthorisation: commands.RevokeUserAuthorisationHandler{Store: store, Staff: e.Staff, Now: now},

		RegisterPatient:       commands.RegisterPatientHandler{Store: store},
		RestrictPatientRecord: commands.RestrictPatientRecordHandler{Store: store, Staff: e.Staff},

		SubmitPatientRequest: commands.SubmitPatientRequestHandler{
			Store: store, Patients: projections.Patients{DB: e.calls}},
	}
}

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

	SwitchRequestTypeOff commands.SwitchRequestTypeOffHandler
	SwitchRequestTypeOn  commands.SwitchRequestTypeOnHandler
	PauseRequestType     commands.PauseRequestTypeHandler
	ResumeRequestType    commands.ResumeRequestTypeHandler
	SetOpeningHours      commands.SetOpeningHoursHandler
	ClosePractice        commands.ClosePracticeHandler
	ReopenPractice       commands.ReopenPracticeHandler

	RegisterApplication commands.RegisterApplicationHandler
	SetJWKSURL          commands.SetJWKSURLHandler
	AddCallback         commands.AddCallbackHandler
	RemoveCallback      commands.RemoveCallbackHandler
	GrantEndpoint       commands.GrantEndpointHandler
	RevokeEndpoint      commands.RevokeEndpointHandler
	MarkPatientScoped   commands.MarkPatientScopedHandler
	UnmarkPatientScoped commands.UnmarkPatientScopedHandler
	SetWebhook          commands.SetWebhookHandler
	RemoveWebhook       commands.RemoveWebhookHandler

	StageSigningKey    commands.StageSigningKeyHandler
	ActivateSigningKey commands.ActivateSigningKeyHandler
	RetireSigningKey   commands.RetireSigningKeyHandler

	RegisterStaff   commands.RegisterStaffHandler
	SetPassword     commands.SetPasswordHandler
	DeactivateStaff commands.DeactivateStaffHandler

	GrantUserAuthorisation          commands.GrantUserAuthorisationHandler
	GrantPatientScopedAuthorisation commands.GrantPatientScopedAuthorisationHandler
	RevokeUserAuthorisation         commands.RevokeUserAuthorisationHandler

	RegisterPatient       commands.RegisterPatientHandler
	RestrictPatientRecord commands.RestrictPatientRecordHandler

	SubmitPatientRequest commands.SubmitPatientRequestHandler

	AddSite           commands.AddSiteHandler
	AddRoom           commands.AddRoomHandler
	BookAppointment   commands.BookAppointmentHandler
	CallInPatient     commands.CallInPatientHandler
	ClearCallIn       commands.ClearCallInHandler
	MarkDidNotAttend  commands.MarkDidNotAttendHandler
	StartConsultation commands.StartConsultationHandler
	OpenCareRecord    commands.OpenCareRecordHandler
	CreateNote        commands.CreateNoteHandler
}

// On is the commands over a store: the engine's own, or one that listens in on
// what is appended.
func (e *Engine) On(store commands.Store) Commands {
	now, lifetime, checkURL := e.config.Now, e.config.AuthorisationLifetime, e.guard().CheckURL
	return Commands{
		RegisterPractice:   commands.RegisterPracticeHandler{Store: store},
		EnableApplication:  commands.EnableApplicationHandler{Store: store},
		DisableApplication: commands.DisableApplicationHandler{Store: store},

		SwitchRequestTypeOff: commands.SwitchRequestTypeOffHandler{Store: store},
		SwitchRequestTypeOn:  commands.SwitchRequestTypeOnHandler{Store: store},
		PauseRequestType:     commands.PauseRequestTypeHandler{Store: store, Now: now},
		ResumeRequestType:    commands.ResumeRequestTypeHandler{Store: store, Now: now},
		SetOpeningHours:      commands.SetOpeningHoursHandler{Store: store},
		ClosePractice:        commands.ClosePracticeHandler{Store: store, Now: now},
		ReopenPractice:       commands.ReopenPracticeHandler{Store: store, Now: now},

		RegisterApplication: commands.RegisterApplicationHandler{Store: store, CheckURL: checkURL},
		SetJWKSURL:          commands.SetJWKSURLHandler{Store: store, CheckURL: checkURL},
		AddCallback:         commands.AddCallbackHandler{Store: store},
		RemoveCallback:      commands.RemoveCallbackHandler{Store: store},
		GrantEndpoint:       commands.GrantEndpointHandler{Store: store},
		RevokeEndpoint:      commands.RevokeEndpointHandler{Store: store},
		MarkPatientScoped:   commands.MarkPatientScopedHandler{Store: store},
		UnmarkPatientScoped: commands.UnmarkPatientScopedHandler{Store: store},
		SetWebhook:          commands.SetWebhookHandler{Store: store, CheckURL: checkURL},
		RemoveWebhook:       commands.RemoveWebhookHandler{Store: store},

		StageSigningKey:    commands.StageSigningKeyHandler{Store: store, Vault: e.vault(), Now: now},
		ActivateSigningKey: commands.ActivateSigningKeyHandler{Store: store, Vault: e.vault(), Now: now},
		RetireSigningKey:   commands.RetireSigningKeyHandler{Store: store, Vault: e.vault(), Now: now},

		RegisterStaff:   commands.RegisterStaffHandler{Store: store, Passwords: e.passwords},
		SetPassword:     commands.SetPasswordHandler{Store: store, Staff: e.Staff, Passwords: e.passwords},
		DeactivateStaff: commands.DeactivateStaffHandler{Store: store, Staff: e.Staff},

		GrantUserAuthorisation: commands.GrantUserAuthorisationHandler{
			Store: store, Staff: e.Staff, Now: now, Lifetime: lifetime},
		GrantPatientScopedAuthorisation: commands.GrantPatientScopedAuthorisationHandler{
			Store: store, Staff: e.Staff, Now: now, Lifetime: lifetime},
		RevokeUserAuthorisation: commands.RevokeUserAuthorisationHandler{Store: store, Staff: e.Staff, Now: now},

		RegisterPatient:       commands.RegisterPatientHandler{Store: store},
		RestrictPatientRecord: commands.RestrictPatientRecordHandler{Store: store, Staff: e.Staff},

		SubmitPatientRequest: commands.SubmitPatientRequestHandler{
			Store: store, Intakes: projections.Availability{DB: e.calls}, Answers: projections.Answers{DB: e.calls}, Now: now},

		AddSite:           commands.AddSiteHandler{Store: store},
		AddRoom:           commands.AddRoomHandler{Store: store},
		BookAppointment:   commands.BookAppointmentHandler{Store: store, Patients: projections.Patients{DB: e.calls}},
		CallInPatient:     commands.CallInPatientHandler{Store: store, Now: now},
		ClearCallIn:       commands.ClearCallInHandler{Store: store, Now: now},
		MarkDidNotAttend:  commands.MarkDidNotAttendHandler{Store: store, Now: now},
		StartConsultation: commands.StartConsultationHandler{Store: store, Patients: projections.Patients{DB: e.calls}, Now: now},
		OpenCareRecord:    commands.OpenCareRecordHandler{Store: store, Patients: projections.Patients{DB: e.calls}},
		CreateNote:        commands.CreateNoteHandler{Store: store, Patients: projections.Patients{DB: e.calls}},
	}
}

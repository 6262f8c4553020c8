package projections_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/consultation"
	"frontdesk/domain/display"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// chapter is the events of one stream in one append.
type chapter struct {
	stream   event.Stream
	metadata event.Metadata
	events   []event.Event
}

// life has every event, most of them twice: each change is undone and repeated, and a
// second practice has the same as the first.
func life(t *testing.T, d *day) (chapters []chapter) {
	t.Helper()
	chapters = append(chapters, applicationsLife()...)
	for _, tenant := range []string{elm, oak} {
		chapters = append(chapters, practicesLife(tenant)...)
		chapters = append(chapters, peoplesLife(tenant)...)
	}
	chapters = append(chapters, clinicalLife(keptFile(t, d))...)
	chapters = append(chapters, handledLife(t, d)...)
	return append(chapters, forgottenLife(t, d)...)
}

func plain(stream event.Stream, events ...event.Event) chapter {
	return chapter{stream: stream, events: events}
}

func applicationsLife() []chapter {
	first, second := signingkey.Key{KID: "first"}, signingkey.Key{KID: "second"}
	return []chapter{
		plain(application.StreamOf(diary), application.Registered{Name: "Diary", JWKSURL: "https://diary.example/"}),
		plain(application.StreamOf(referrals),
			application.Registered{Name: "Referrals", JWKSURL: "https://app.example/old"}, application.JWKSURLSet{JWKSURL: keysURL},
			application.CallbackAdded{Callback: "https://a.example/"}, application.CallbackAdded{Callback: "https://b.example/"},
			application.CallbackRemoved{Callback: "https://a.example/"},
			application.EndpointGranted{Grant: submitApp}, application.EndpointGranted{Grant: submitFor}, application.EndpointRevoked{Grant: submitApp},
			application.PatientScopedMarked{}, application.PatientScopedUnmarked{}, application.PatientScopedMarked{},
			application.WebhookSet{Event: application.CallInShown, URL: "https://a.example/"},
			application.WebhookSet{Event: application.CallInShown, URL: "https://b.example/"},
			application.WebhookSet{Event: application.RecordOpened, URL: "https://a.example/"},
			application.WebhookRemoved{Event: application.RecordOpened}),
		plain(application.RereadStream(referrals, noon), application.KeySetReread{Application: referrals, At: noon}),
		plain(event.Stream{ID: event.DerivedID("signing-keys")},
			signingkey.Staged{Key: first, At: noon}, signingkey.Activated{Key: first, At: noon}, signingkey.Staged{Key: second, At: noon},
			signingkey.RetirementBegun{Key: first, At: noon.Add(time.Hour)}, signingkey.Activated{Key: second, At: noon.Add(time.Hour)},
			signingkey.Retired{Key: first, At: noon.Add(2 * time.Hour)}),
	}
}

func practicesLife(tenant string) []chapter {
	week, _ := hours.Parse([]string{"mon 08:00-12:30"})
	closures := practice.ClosuresStream(tenant)
	return []chapter{
		plain(practice.StreamOf(tenant), practice.Registered{Name: tenant, TimeZone: "Europe/London"}),
		plain(practice.EnablementStream(tenant, referrals),
			practice.ApplicationEnabled{Application: referrals}, practice.ApplicationDisabled{Application: referrals}, practice.ApplicationEnabled{Application: referrals}),
		plain(practice.EnablementStream(tenant, diary),
			practice.ApplicationEnabled{Application: diary}, practice.ApplicationDisabled{Application: diary}),
		plain(practice.IntakeStream(tenant, request.Medical),
			practice.RequestTypeSwitchedOff{RequestType: request.Medical}, practice.RequestTypeSwitchedOn{RequestType: request.Medical},
			practice.RequestTypePaused{RequestType: request.Medical}, practice.RequestTypeResumed{RequestType: request.Medical},
			practice.OpeningHoursSet{RequestType: request.Medical, Hours: week}),
		plain(practice.IntakeStream(tenant, request.Admin),
			practice.RequestTypePaused{RequestType: request.Admin, Until: noon.Add(time.Hour)}),
		plain(practice.InformationStream(tenant), practice.InformationSet{Texts: map[practice.Topic]string{practice.Purposes: "To treat you."}}),
		plain(practice.NoteTemplateStream(tenant), practice.NoteTemplateSet{Name: "Rang", Text: "Rang."}, practice.NoteTemplateSet{Name: "Rang", Text: "Rang, no answer."},
			practice.NoteTemplateSet{Name: "Seen", Text: "Seen."}, practice.NoteTemplateRemoved{Name: "Seen"}),
		plain(staff.TeamStream(tenant), staff.TeamSet{Team: gps, Name: "GPs", Members: []staff.ID{lee, kim}}, staff.TeamSet{Team: nurses, Name: "Nurses"},
			staff.TeamSet{Team: gps, Name: "Doctors", Members: []staff.ID{kim}}, staff.TeamRemoved{Team: nurses}),
		plain(closures, practice.Closed{From: noon, Until: noon.Add(time.Second)}, practice.Closed{From: noon.Add(time.Hour)}),
		plain(closures, practice.Reopened{From: noon.Add(2 * time.Hour)}),
	}
}

func peoplesLife(tenant string) []chapter {
	standing, scoped := authorisation.Subject{Staff: lee, Application: referrals}, about(ann)[0]
	expired := authorisation.Granted{Subject: standing, ExpiresAt: noon.Add(-time.Hour)}
	member := event.Stream{Tenant: tenant, ID: event.DerivedID("test-staff", tenant)} // ids of staff are unique, so not lee's twice
	if tenant == elm {
		member = staff.StreamOf(elm, lee)
	}
	other := registeredLee
	other.Username = "dr.kim"
	return []chapter{
		plain(member, registeredLee, staff.PasswordSet{Credential: staff.CredentialID{UUID: ann.UUID}},
			staff.PasswordSet{Credential: staff.CredentialID{UUID: bill.UUID}, Digest: event.Digest{1}},
			passkey(tenant, 1), passkey(tenant, 2), staff.PasskeyRemoved{Passkey: passkey(tenant, 1).Passkey}),
		plain(event.Stream{Tenant: tenant, ID: event.DerivedID("test-leaver", tenant)}, other,
			staff.PasswordSet{Credential: staff.CredentialID{UUID: bill.UUID}}, staff.Deactivated{}, staff.Reactivated{}, staff.Invited{Link: staff.Link{Digest: event.Digest{2}}},
			staff.RolesSet{Roles: staff.Roles{staff.Manager}}, staff.PasswordSet{}, passkey(tenant, 3), staff.ResetRequested{ResetRequest: staff.ResetRequest{Reset: staff.ResetID{UUID: ann.UUID}, RequestedBy: event.Staff(kim.UUID), RequestedAt: noon}}, staff.ResetWithdrawn{}, staff.ResetRequested{}, staff.Reset{Link: staff.Link{Digest: event.Digest{3}}}),
		plain(staff.PasskeyRuleStream(tenant), staff.PasskeyRuleSet{Roles: staff.Roles{}}, staff.PasskeyRuleSet{Roles: staff.Roles{staff.Clinician, staff.Manager}}),
		plain(event.Stream{Tenant: tenant, ID: event.DerivedID("test-session", tenant)},
			staff.SignedIn{Staff: lee, Session: ann.UUID, How: staff.ByPassword, At: noon}, staff.SignedOut{Staff: lee, Session: ann.UUID, At: noon}),
		plain(staff.TriesStream(tenant, lee, noon), staff.SignInFailed{Staff: lee, Until: noon}, staff.LockedOut{Staff: lee, Until: noon}),
		plain(patient.StreamOf(tenant, ann), patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"},
			patient.DetailsChanged{Patient: ann, Name: "Ann Baker"}, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{lee, kim}}, patient.RecordRestricted{Patient: ann, Staff: []staff.ID{kim}}),
		plain(patient.StreamOf(tenant, bill), patient.Registered{Patient: bill, Name: "Bill Baker"},
			patient.RecordRestricted{Patient: bill, Staff: []staff.ID{lee}}, patient.RestrictionLifted{Patient: bill}),
		plain(authorisation.StreamOf(tenant, standing), expired, authorisation.Granted{Subject: standing, ExpiresAt: ends}),
		plain(authorisation.StreamOf(tenant, scoped), authorisation.Granted{Subject: scoped, ExpiresAt: ends}, authorisation.Revoked{Subject: scoped}),
	}
}

func clinicalLife(file request.Attachment) []chapter {
	byLee := event.Metadata{Actor: event.Staff(lee.UUID)}
	forLee := event.Metadata{Actor: event.Operator("frontdesk_app", "alice@desk7").ActingFor(lee.UUID)}
	keyed := event.Metadata{Actor: byLee.Actor, Idempotency: idempotency}
	asked := asked
	asked.Attachments = []request.Attachment{file}
	other := subject
	other.Appointment.UUID = event.DerivedID("test-cancelled")
	calledOff := []event.Event{appointment.Booked{Subject: other, At: noon, Plan: appointment.Plan{Clinician: lee, Minutes: 10}},
		appointment.Planned{Subject: other, Plan: appointment.Plan{Clinician: kim, Kind: appointment.Video}}, appointment.Arrived{Subject: other, ArrivedAt: noon},
		appointment.CalledIn{Subject: other, CalledInAt: noon}, appointment.CallInRemoved{Subject: other, Reason: appointment.Cleared, RemovedAt: noon},
		appointment.ArrivalCleared{Subject: other}, appointment.DidNotAttend{Subject: other}, appointment.DidNotAttendCleared{Subject: other},
		appointment.Cancelled{Subject: other}}
	stream := func(id uuid.UUID) event.Stream { return event.Stream{Tenant: elm, ID: id} }
	return []chapter{
		plain(stream(main.UUID), site.Added{Site: main, Name: "Elm Street"}, site.Renamed{Site: main, Name: "Elm House"}),
		plain(stream(room.UUID), site.RoomAdded{Room: room, Site: main, Name: "Room 1"}, site.RoomRenamed{Room: room, Site: main, Name: "Nurse"}),
		plain(stream(addedDisplay.Display.UUID), addedDisplay, connectedDisplay),
		plain(stream(openDisplay.Display.UUID), openDisplay),
		plain(stream(goneDisplay.Display.UUID), goneDisplay, display.Removed{Display: goneDisplay.Display, Site: main}),
		plain(stream(subject.Appointment.UUID), booked, moved, arrived, calledIn, noRoom, removed, calledIn, absent, arrived, attended),
		plain(stream(event.DerivedID("test-cancelled")), calledOff...),
		{stream(note.Note.UUID), byLee, []event.Event{note, noteInError}},
		{stream(askedAs), keyed, []event.Event{asked, requestInError}},
		{stream(started.Consultation.UUID), forLee, []event.Event{started}},
		{stream(consultation.ID{UUID: bill.UUID}.UUID), byLee, []event.Event{consultation.Started{Consultation: consultation.ID{UUID: bill.UUID}, Patient: bill}}},
		{stream(openedAs), byLee, []event.Event{record.CareRecordOpened{Patient: ann}}},
		{record.GlassStreamOf(elm, ann, lee), byLee, []event.Event{record.GlassBroken{Patient: ann, Reason: "she has collapsed", Until: noon.Add(record.GlassTime)}}},
		{stream(event.DerivedID("test-far")), event.Metadata{Actor: forDrDoe}, []event.Event{record.CareRecordOpened{Patient: bill}}},
	}
}

// handledLife is that of a request that is re-linked to another patient, and back
// again.
func handledLife(t *testing.T, d *day) []chapter {
	t.Helper()
	asked, id := asked, request.ID{UUID: event.DerivedID("test-handled")}
	asked.Attachments = []request.Attachment{keptFile(t, d)}
	keyed := event.Metadata{Idempotency: event.Idempotency{Key: event.Digest{9}, Body: event.Digest{10}.String()}}
	stream := request.StreamOf(elm, id)
	toBill := request.ReLinked{Patient: bill, Former: ann, Reason: "about Bill"}
	return []chapter{
		{stream, keyed, []event.Event{asked}},
		plain(event.Stream{Tenant: elm, ID: event.DerivedID("test-seen")}, request.Opened{Patient: ann, Request: id}),
		plain(event.Stream{Tenant: elm, ID: event.DerivedID("test-file-seen")},
			request.AttachmentOpened{Patient: ann, Request: id, Attachment: asked.Attachments[0].ID}),
		plain(stream, request.Taken{Patient: ann, By: lee}, request.Given{Patient: ann, From: lee, To: kim}, request.UrgencyChanged{Patient: ann, Urgent: true},
			request.Noted{Patient: ann, Text: "rang twice"}, request.Completed{Patient: ann, By: kim, Outcome: request.Replied},
			toBill, request.ReLinked{Patient: ann, Former: bill, Reason: "about Ann"}, toBill, request.Reopened{Patient: bill, By: lee, Reason: "rang again"},
			request.GivenToTeam{Patient: bill, From: lee, Team: gps}, request.PutOff{Patient: bill, Until: "2026-05-03", Team: gps}),
	}
}

// forgottenLife is that of a patient, a member of staff and a practitioner who are erased.
func forgottenLife(t *testing.T, d *day) []chapter {
	t.Helper()
	cleo, gone := patient.ID{UUID: uuid.New()}, event.Stream{Tenant: elm, ID: uuid.New()}
	jo := practitioner.ID{UUID: uuid.New()}
	stream := func() event.Stream { return event.Stream{Tenant: elm, ID: uuid.New()} }
	asked := asked
	asked.Patient, asked.Attachments = cleo, []request.Attachment{keptFile(t, d)}
	keyed := event.Metadata{Idempotency: event.Idempotency{Key: event.Digest{7}, Body: event.Digest{8}.String()}}
	booked, calledIn := booked, calledIn
	booked.Appointment.UUID, booked.Patient = uuid.New(), cleo
	calledIn.Appointment, calledIn.Patient = booked.Appointment, cleo
	scoped := about(cleo)[0]
	first := erasure.Request{Erasure: erasure.ID{UUID: uuid.New()}, Basis: erasure.CourtOrder}
	hold := erasure.Hold{Hold: erasure.HoldID{UUID: uuid.New()}}
	done := func(kind event.HolderKind, holder uuid.UUID) erasure.Done {
		return erasure.Done{Erasure: first.Erasure, Basis: erasure.Restored, Keys: []erasure.Key{{Kind: kind, Holder: holder, Fingerprint: "00"}, {Kind: event.OfRequest, Holder: uuid.New()}}}
	}
	leaver := registeredLee
	leaver.Username = "dr.gone"
	return []chapter{
		plain(patient.StreamOf(elm, cleo), patient.Registered{Patient: cleo, Name: "Cleo"}, patient.RecordRestricted{Patient: cleo, Staff: []staff.ID{lee}}),
		plain(stream(), record.NoteCreated{Note: record.NoteID{UUID: uuid.New()}, Patient: cleo, Text: "a cough"}),
		{stream(), keyed, []event.Event{asked}},
		plain(event.Stream{Tenant: elm, ID: booked.Appointment.UUID}, booked, calledIn),
		plain(authorisation.StreamOf(elm, scoped), authorisation.Granted{Subject: scoped, ExpiresAt: ends}),
		plain(gone, leaver, staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.New()}}, passkey(elm, 9), staff.Deactivated{},
			staff.ErasureRequested{Request: first}, staff.ErasureWithdrawn{}, staff.Erased{Done: done(event.OfStaff, gone.ID)}),
		plain(stream(), staff.SignedIn{Staff: staff.ID{UUID: gone.ID}, Session: uuid.New(), At: noon}),
		plain(practitioner.StreamOf(elm, jo), practitioner.ErasureRequested{Practitioner: jo, Request: first},
			practitioner.ErasureWithdrawn{Practitioner: jo}, practitioner.Erased{Practitioner: jo, Done: done(event.OfPractitioner, jo.UUID)}),
		plain(patient.StreamOf(elm, cleo), patient.ErasureRequested{Patient: cleo, Request: first}, patient.ErasureWithdrawn{Patient: cleo},
			patient.ErasureHeld{Patient: cleo, Hold: hold}, patient.ErasureHoldLifted{Patient: cleo, Hold: hold},
			patient.Erased{Patient: cleo, Done: done(event.OfPatient, cleo.UUID)}),
	}
}

// keptFile is a file that has arrived and that an event may name.
func keptFile(t *testing.T, d *day) request.Attachment {
	t.Helper()
	file := request.Attachment{ID: request.AttachmentID{UUID: uuid.New()}, FileName: "rash.png", ContentType: "image/png", Size: 7}
	if _, err := d.Pool.Exec(t.Context(), `INSERT INTO uploads (tenant, upload, started_at) VALUES ($1, $2, $3)`, elm, file.ID, noon); err != nil {
		t.Fatal(err)
	}
	return file
}

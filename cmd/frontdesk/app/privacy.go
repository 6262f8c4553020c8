package app

import (
	"context"
	"io"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/audit/subjectaccess"
	"frontdesk/domain/access"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
)

// copiesAtOnce are written at once by this process: each reads the patient's events several
// times.
const copiesAtOnce = 4

// privacyService returns the operations of the pages for privacy officers.
func (a *App) privacyService() privacy.Service {
	return privacy.Service{
		Calls:    a.linesFor,
		Notified: a.notified,
		Copy:     a.copyFor,
		Erased:   a.NoteErasures,
		Copying:  make(chan struct{}, copiesAtOnce),

		Checkpoints: proving.Proofs{DB: a.calls},
	}
}

// linesFor reads the access record, with the practitioners of the calls.
func (a *App) linesFor(ctx context.Context, w privacy.CallFilter) (found []access.Call, err error) {
	record := accesslog.Record{DB: a.calls, Keys: a.keyring, Page: w.Most}
	f := auditing.CallFilter{CallFilter: accesslog.CallFilter{
		Tenant: w.Tenant, Patient: w.Patient, Staff: w.Staff, Kind: w.Kind, Since: w.Since, Until: w.Until, Before: w.Before,
	}}
	if w.Refused {
		f.StatusFrom, f.StatusUntil = auditing.Refused.Statuses()
	}
	for call, err := range record.Calls(ctx, f.CallFilter) {
		if err != nil {
			return nil, err
		}
		if found = append(found, call); len(found) == w.Most {
			break
		}
	}
	return found, nil
}

// notified returns the applications that webhooks have notified of events.
func (a *App) notified(ctx context.Context, events []uuid.UUID) (all []privacy.Notified, err error) {
	found, err := webhooks.DeliveryLog{DB: a.calls}.Of(ctx, events)
	for _, d := range found {
		all = append(all, privacy.Notified{Event: d.ID, Application: d.Application, Arrived: d.Status == webhooks.Delivered})
	}
	return all, err
}

// copyFor prepares the subject access copy of a patient.
func (a *App) copyFor(ctx context.Context, tenant string, id patient.ID) (privacy.Copy, error) {
	pack, filter, err := a.SubjectPack(ctx, tenant, id)
	if err != nil {
		return privacy.Copy{}, err
	}
	survey, err := pack.Survey()
	if err != nil {
		return privacy.Copy{}, err
	}
	return privacy.Copy{
		Reading: audit.Queried{Command: subjectaccess.Command, Filter: filter.String(), Patient: id, Personal: true, Count: survey.Count},
		Write: func(ctx context.Context, w io.Writer) error {
			pack, _, err := a.SubjectPack(ctx, tenant, id) // its parts are read within this ctx
			if err == nil {
				_, err = pack.Write(ctx, w, survey)
			}
			return err
		},
	}, nil
}

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// believable plants the data of a practice on an ordinary day. It has patients with birth
// dates, one of them with a restricted record, appointments for the week to come, and requests
// of each kind that the application has sent. Each part is recorded before the next is
// planted, and a later start plants only the missing parts.
type believable struct {
	desk    commands.Desk
	uploads body.Uploads
	file    string // in which the seed is written down
	seed    *seed
	now     time.Time
}

func (b believable) plant(ctx context.Context) error {
	if err := b.patients(ctx); err != nil {
		return err
	}
	if err := b.week(ctx, b.book); err != nil {
		return err
	}
	return b.requests(ctx)
}

// others are patients in addition to those in the documents. The last one's record is
// restricted.
var others = []struct{ name, born string }{
	{"Zoë Adeyemi", "1988-04-12"}, {"Padraig O’Brien", "1951-11-30"}, {"Mei-Ling Chen", "1996-07-03"}, {"Jürgen Müller", "1943-01-22"},
	{"Amina Hassan", "2019-09-14"}, {"Rhys Evans", "1979-02-28"}, {"Priya Nair", "1984-12-05"}, {"Tomasz Wiśniewski", "1990-06-17"},
	{"Florence Fairweather", "1937-03-08"}, {"Dana Drew", "1972-10-19"},
}

func (b believable) patients(ctx context.Context) error {
	for n := len(b.seed.Others); n < len(others); n++ {
		id, err := b.register(ctx, others[n].name, others[n].born, n == len(others)-1)
		if err != nil {
			return err
		}
		b.seed.Others = append(b.seed.Others, Patient{id, others[n].name})
		if err := writeJSON(b.file, b.seed); err != nil {
			return err
		}
	}
	return nil
}

func (b believable) register(ctx context.Context, name, born string, restricted bool) (patient.ID, error) {
	id, err := b.desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: name, BirthDate: born})
	if err != nil || !restricted {
		return id, err
	}
	return id, b.desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: tenant, Patient: id, Usernames: []string{sam.Username}})
}

const (
	weekDays   = 7
	firstVisit = 9 * time.Hour
	visits     = 6 // a day, every 20 minutes
)

// week has every working day of the week to come booked, and today, even on a weekend.
func (b believable) week(ctx context.Context, book func(ctx context.Context, day time.Time, always bool) error) error {
	zone, err := time.LoadLocation(practice.DefaultTimeZone)
	if err != nil {
		return fmt.Errorf("load the practice's time zone: %w", err)
	}
	year, month, today := b.now.In(zone).Date()
	for n := range weekDays {
		day := time.Date(year, month, today+n, 0, 0, 0, 0, zone)
		date := day.Format(time.DateOnly)
		if date <= b.seed.BookedUntil {
			continue
		}
		if err := book(ctx, day, n == 0); err != nil {
			return err
		}
		b.seed.BookedUntil = date
		if err := writeJSON(b.file, b.seed); err != nil {
			return err
		}
	}
	return nil
}

func (b believable) book(ctx context.Context, day time.Time, always bool) error {
	if weekend(day) && !always {
		return nil
	}
	for n := range visits {
		who := b.seed.Others[(day.YearDay()*visits+n)%len(b.seed.Others)]
		_, err := b.desk.BookAppointment(ctx, commands.BookAppointment{
			Tenant: tenant, Patient: who.ID, Site: b.firstSite(),
			At: day.Add(firstVisit + time.Duration(n)*20*time.Minute),
		})
		if err != nil && !errors.Is(err, patient.ErrUnknown) { // erased patients get no appointments
			return err
		}
	}
	return nil
}

func weekend(day time.Time) bool {
	return day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
}

func (b believable) firstSite() site.ID { return b.seed.Sites[0].ID }

// requests sends requests as the application would: each is the body of a call.
func (b believable) requests(ctx context.Context) error {
	caller := event.Application(b.seed.Application.UUID, string(application.ApplicationRestricted), nil)
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: caller})
	sent := fixtures()
	for n := b.seed.Sent; n < len(sent); n++ {
		if _, err := b.send(ctx, b.seed.Others[sent[n].from].ID, sent[n].body); err != nil {
			return err
		}
		b.seed.Sent = n + 1
		if err := writeJSON(b.file, b.seed); err != nil {
			return err
		}
	}
	return nil
}

func (b believable) send(ctx context.Context, about patient.ID, fields map[string]any) (request.ID, error) {
	fields["patientId"] = about.String()
	text, err := json.Marshal(fields)
	if err != nil {
		return request.ID{}, fmt.Errorf("write a request: %w", err)
	}
	files := &body.Files{Tenant: tenant, Uploads: b.uploads}
	defer func() { _ = files.Close(ctx) }() // files of no request are swept later
	form, err := files.Read(ctx, strings.NewReader(string(text)))
	if err != nil {
		return request.ID{}, err
	}
	submission, err := form.PatientRequest(about)
	if err != nil {
		return request.ID{}, err
	}
	return b.desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: tenant, Submission: submission})
}

// fixture is a request as the application sends it.
type fixture struct {
	from int // of others
	body map[string]any
}

func answers(of ...string) (all []map[string]string) {
	for pair := range slices.Chunk(of, 2) {
		all = append(all, map[string]string{"question": pair[0], "answer": pair[1]})
	}
	return all
}

func proxy(first, last, relationship string) map[string]string {
	return map[string]string{"firstName": first, "lastName": last, "relationshipToPatient": relationship}
}

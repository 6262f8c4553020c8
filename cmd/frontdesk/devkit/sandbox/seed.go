package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

const tenant = "sandbox"

// seed is the seeded data, as kept in seed.json.
type seed struct {
	Name        string         `json:"name"` // of the Seed; "" is Quiet, from an older program
	Application application.ID `json:"application"`
	Staff       Staff          `json:"staff"`
	Colleagues  []Staff        `json:"colleagues"`
	Patients    []Patient      `json:"patients"`
	Day
	Causes      map[string]patient.ID `json:"causes"` // of answers, by name
	Others      []Patient             `json:"others"`
	BookedUntil string                `json:"bookedUntil"`        // the last day for which appointments were made up; 2006-01-02
	Sent        int                   `json:"sent"`               // number of fixtures that were sent
	Regulars    []patient.ID          `json:"regulars,omitempty"` // of a busy practice, once its past is made up
}

// seeding is how a sandbox is seeded.
type seeding struct {
	dir, name            string
	jwksURL, receiverURL string
	now                  time.Time
	calendar             *calendar // the engine's clock while the past of a busy practice is made up; nil otherwise
}

// seeded returns the seed of a directory. It seeds missing data, and updates data that varies
// from one start to the next.
func (w seeding) seeded(ctx context.Context, engine *app.Engine) (seed, error) {
	ctx = bySandbox(ctx)
	desk, file := engine.Desk, filepath.Join(w.dir, seedName)
	s, err := plantMissing(ctx, file, desk, w)
	if err != nil {
		return seed{}, fmt.Errorf("seed the sandbox: %w", err)
	}
	life := believable{desk: desk, uploads: engine.Uploads, file: file, seed: &s, now: w.now}
	plantLife := life.plant
	if w.name == Busy {
		plantLife = (&busy{believable: life, calendar: w.calendar}).plant
	}
	if err := Equip(ctx, desk, s.Application, w.jwksURL, w.receiverURL); err != nil {
		return seed{}, fmt.Errorf("seed the sandbox: %w", err)
	}
	if err := plantLife(ctx); err != nil {
		return seed{}, fmt.Errorf("seed the sandbox: %w", err)
	}
	return s, nil
}

// plantMissing returns the seed in the file, and plants the data that it lacks: an older
// program without sites, passwords or roles may have seeded it. Each part is recorded before
// the next is planted.
func plantMissing(ctx context.Context, file string, desk commands.Desk, w seeding) (seed, error) {
	s, err := remembered(ctx, file, desk, w)
	if err != nil {
		return s, err
	}
	if len(s.Sites) == 0 {
		if s.Day, err = plantDay(ctx, desk, s.Patients, w.now); err != nil {
			return s, err
		}
		if err := writeJSON(file, s); err != nil {
			return s, err
		}
	}
	if s.Staff.Password == "" {
		if s.Staff.Password, err = plantPassword(ctx, desk, s.Staff.Username); err != nil {
			return s, err
		}
		if err := writeJSON(file, s); err != nil {
			return s, err
		}
	}
	s.Staff.Role = sam.Role // older seeds have an administrator
	if err := plantColleagues(ctx, desk, file, &s, colleagues()); err != nil {
		return s, err
	}
	err = plantCauses(ctx, desk, file, &s)
	return s, err
}

// bySandbox makes the sandbox the actor of changes.
func bySandbox(ctx context.Context) context.Context {
	return event.WithMetadata(ctx, event.Metadata{Actor: event.Service("sandbox")})
}

// remembered reads the seed, or plants and writes it.
func remembered(ctx context.Context, file string, desk commands.Desk, w seeding) (s seed, err error) {
	err = readJSON(file, &s)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if s, err = plant(ctx, desk, w.jwksURL); err != nil {
		return s, err
	}
	s.Name = w.name
	return s, writeJSON(file, s)
}

// randomPassword makes a password that is easy to type and hard to guess, because other users of
// the machine reach the sandbox too. It has letters only, because digits do not count (D142).
func randomPassword() string {
	text := strings.ToLower(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, rand.Text()+rand.Text()))
	return text[:4] + "-" + text[4:8] + "-" + text[8:12]
}

// newPassword draws passwords until the rule accepts one for a member of staff. By chance, a
// random one can consist of common passwords.
func newPassword(draw func() string, of staff.Known) string {
	for {
		if password := draw(); staff.CheckPassword(password, of) == nil {
			return password
		}
	}
}

// plantPassword sets a new password.
func plantPassword(ctx context.Context, desk commands.Desk, username string) (string, error) {
	password := newPassword(randomPassword, staff.Known{Username: username, Tenant: tenant})
	_, err := desk.SetPassword(ctx, commands.SetPassword{Tenant: tenant, Username: username, Password: password})
	return password, err
}

// callbacks are the addresses to which the sandbox application lets staff be sent. On
// loopback any port is accepted, so it may differ at each start.
func callbacks() []string {
	return []string{"http://127.0.0.1/callback", "frontdesk-sandbox://callback"}
}

// plant registers the practice, the application and all people. An interrupted start may
// already have registered some of them.
func plant(ctx context.Context, desk commands.Desk, jwksURL string) (s seed, err error) {
	err = desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "Sandbox Surgery"})
	if err != nil && !errors.Is(err, practice.ErrTenantTaken) {
		return s, err
	}
	// The clock may jump by months, and its people must still be able to work.
	if err := desk.SetPasskeyRule(ctx, commands.SetPasskeyRule{Tenant: tenant, Seen: -1}); err != nil {
		return s, err
	}
	s.Application, err = desk.RegisterApplication(ctx, commands.RegisterApplication{
		Name: "Sandbox application", JWKSURL: jwksURL, Callbacks: callbacks(), PatientScoped: true,
	})
	if err != nil {
		return s, err
	}
	s.Staff = sam
	if err := plantStaff(ctx, desk, s.Staff); err != nil {
		return s, err
	}
	s.Patients, err = plantPatients(ctx, desk)
	return s, err
}

func plantPatients(ctx context.Context, desk commands.Desk) (patients []Patient, err error) {
	for _, name := range []string{"Ann Archer", "Bill Baker", "Chandra Cole"} {
		id, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: name})
		if err != nil {
			return nil, err
		}
		patients = append(patients, Patient{id, name})
	}
	return patients, nil
}

// plantDay seeds a site with two rooms, where the first two patients are
// expected from the next full hour on.
func plantDay(ctx context.Context, desk commands.Desk, patients []Patient, now time.Time) (d Day, err error) {
	const name = "Sandbox Surgery, Main Street"
	at, err := desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: name})
	if err != nil {
		return d, err
	}
	d.Sites = []Site{{at, name}}
	for n := range 2 {
		room := Room{SiteID: at, Name: fmt.Sprintf("Room %d", n+1)}
		room.ID, err = desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: at, Name: room.Name})
		if err != nil {
			return d, err
		}
		d.Rooms = append(d.Rooms, room)
	}
	d.Appointments, err = plantAppointments(ctx, desk, at, patients[:2], now)
	return d, err
}

// freshen moves the appointments of a practice that is as it was seeded to where they would
// be booked now.
func freshen(ctx context.Context, desk commands.Desk, file string, s *seed, now time.Time) error {
	first := firstAppointment(now)
	for n, a := range s.Appointments {
		at := first.Add(time.Duration(n) * apart)
		if at.Equal(a.At) {
			continue
		}
		if err := desk.MoveAppointment(ctx, commands.MoveAppointment{Tenant: tenant, Appointment: a.ID, Site: a.SiteID, At: at}); err != nil {
			return err
		}
		s.Appointments[n].At = at
	}
	return writeJSON(file, s)
}

const apart = 15 * time.Minute

// firstAppointment is at the next full hour.
func firstAppointment(now time.Time) time.Time { return now.UTC().Truncate(time.Hour).Add(time.Hour) }

func plantAppointments(ctx context.Context, desk commands.Desk, at site.ID, patients []Patient, now time.Time) (booked []Appointment, err error) {
	first := firstAppointment(now)
	for n, patient := range patients {
		a := Appointment{PatientID: patient.ID, SiteID: at, At: first.Add(time.Duration(n) * apart)}
		a.ID, err = desk.BookAppointment(ctx, commands.BookAppointment{Tenant: tenant, Patient: a.PatientID, Site: at, At: a.At})
		if err != nil {
			return nil, err
		}
		booked = append(booked, a)
	}
	return booked, nil
}

// Equip grants a registered application everything at the sandbox's practice, and registers
// it for all webhooks there.
func Equip(ctx context.Context, desk commands.Desk, id application.ID, jwksURL, receiverURL string) error {
	if err := grantEverything(ctx, desk, id, jwksURL); err != nil {
		return err
	}
	return setWebhooks(ctx, desk, id, receiverURL)
}

// grantEverything updates settings that may change between starts: the port of the key set,
// and endpoints that this program has gained. It changes nothing that is up to date already.
func grantEverything(ctx context.Context, desk commands.Desk, id application.ID, jwksURL string) error {
	err := desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: id, JWKSURL: jwksURL})
	if err != nil {
		return err
	}
	for _, endpoint := range access.Grantable() {
		for _, mode := range []application.Mode{application.ApplicationRestricted, application.UserRestricted} {
			grant := application.Grant{Endpoint: endpoint, Mode: mode}
			if err := desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}); err != nil {
				return err
			}
		}
	}
	return desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id})
}

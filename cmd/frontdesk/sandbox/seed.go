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

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

const tenant = "sandbox"

// seed is what was seeded, as it is remembered in seed.json.
type seed struct {
	Application application.ID `json:"application"`
	Staff       Staff          `json:"staff"`
	Patients    []Patient      `json:"patients"`
	Day
}

// seeded is what dir was seeded with; it is seeded now if it was not before.
// Whatever differs from one start to the next is brought up to date.
func seeded(ctx context.Context, dir string, desk commands.Desk, jwksURL, receiverURL string) (seed, error) {
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: event.Actor{Kind: event.ByService, ID: "sandbox"}})
	file := filepath.Join(dir, "seed.json")
	var s seed
	err := readJSON(file, &s)
	if errors.Is(err, fs.ErrNotExist) {
		if s, err = plant(ctx, desk, jwksURL); err == nil {
			err = writeJSON(file, s)
		}
	}
	if err == nil && len(s.Sites) == 0 { // fresh, or seeded by a program that knew no sites
		if s.Day, err = plantDay(ctx, desk, s.Patients, time.Now()); err == nil {
			err = writeJSON(file, s)
		}
	}
	if err == nil && s.Staff.Password == "" { // fresh, or seeded by a program that knew no passwords
		if s.Staff.Password, err = plantPassword(ctx, desk, s.Staff.Username); err == nil {
			err = writeJSON(file, s)
		}
	}
	if err == nil {
		err = grantEverything(ctx, desk, s.Application, jwksURL)
	}
	if err == nil {
		err = setWebhooks(ctx, desk, s.Application, receiverURL)
	}
	if err != nil {
		return seed{}, fmt.Errorf("seed the sandbox: %w", err)
	}
	return s, nil
}

// plantPassword makes a password that is easy to type and hard to guess: other
// users of the machine reach the sandbox, too.
func plantPassword(ctx context.Context, desk commands.Desk, username string) (string, error) {
	text := strings.ToLower(rand.Text())
	password := text[:4] + "-" + text[4:8] + "-" + text[8:12]
	return password, desk.SetPassword(ctx, commands.SetPassword{Tenant: tenant, Username: username, Password: password})
}

// callbacks are where the sandbox application lets staff be sent. On loopback
// every port is meant (D25), so it may have another at each start.
func callbacks() []string {
	return []string{"http://127.0.0.1/callback", "frontdesk-sandbox://callback"}
}

func plant(ctx context.Context, desk commands.Desk, jwksURL string) (s seed, err error) {
	err = desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "Sandbox Surgery"})
	if err != nil && !errors.Is(err, practice.ErrTenantTaken) { // an earlier start was cut short
		return s, err
	}
	s.Application, err = desk.RegisterApplication(ctx, commands.RegisterApplication{
		Name: "Sandbox application", JWKSURL: jwksURL, Callbacks: callbacks(), PatientScoped: true,
	})
	if err != nil {
		return s, err
	}
	s.Staff = Staff{Username: "sam.taylor", Name: "Dr Sam Taylor", Email: "sam.taylor@sandbox.example"}
	_, err = desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: tenant, Username: s.Staff.Username, Name: s.Staff.Name, Email: s.Staff.Email, Administrator: true,
	})
	if err != nil && !errors.Is(err, staff.ErrUsernameTaken) {
		return s, err
	}
	for _, name := range []string{"Ann Archer", "Bill Baker", "Chandra Cole"} {
		id, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: name})
		if err != nil {
			return s, err
		}
		s.Patients = append(s.Patients, Patient{id, name})
	}
	return s, nil
}

// grantEverything brings what may change between starts up to date: the port
// of the key set, and endpoints that this program has gained. What holds
// already is not said again.
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

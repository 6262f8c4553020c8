package replay_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/sealing"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// surgery is two practices with random commands: the same for the same seed.
type surgery struct {
	db        *postgrestest.Database
	owner     *pgxpool.Pool // may rebuild
	pool      *pgxpool.Pool
	codec     *event.Codec
	keys      *keyring.Keyring
	store     *eventstore.Store
	directory projections.Staff
	random    *rand.Rand
	at        time.Time

	tenants, usernames []string
	applications       []application.ID
	patients           map[string][]patient.ID
	sites              map[string]site.ID
	appointments       map[string][]appointment.ID
}

func newSurgery(t testing.TB) *surgery {
	t.Helper()
	return newSurgeryOn(t, postgrestest.New(t))
}

func newSurgeryOn(t testing.TB, db *postgrestest.Database) *surgery {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	s := &surgery{
		db: db, owner: db.AdminPool(t), pool: db.Pool(t), codec: codec, random: rand.New(rand.NewPCG(1, 2)), at: noon,
		tenants: []string{"elm-street", "oak-lane"}, usernames: []string{"dr.lee", "kim", "sam"},
		patients: map[string][]patient.ID{}, sites: map[string]site.ID{}, appointments: map[string][]appointment.ID{},
	}
	s.directory = projections.Staff{DB: s.pool}
	s.keys = s.keyring(t, sealing.MasterKey{1, 2, 3})
	s.store = &eventstore.Store{DB: postgres.On(s.pool), Codec: codec, Keys: s.keys, AtOnce: projections.AtOnce(), Now: func() time.Time { return s.at }}
	s.found(t)
	return s
}

// keyring opens personal data; without a master key nothing.
func (s *surgery) keyring(t testing.TB, master sealing.MasterKey) *keyring.Keyring {
	t.Helper()
	keys := &keyring.Keyring{DB: postgres.On(s.pool), Codec: s.codec, Masters: sealing.NewRing(master)}
	if err := keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return keys
}

func (s *surgery) now() time.Time { return s.at }

// found registers all members of staff.
func (s *surgery) found(t testing.TB) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	for range 3 {
		app, err := commands.Desk{Store: s.store, CheckURL: anywhere}.RegisterApplication(ctx, commands.RegisterApplication{
			Name: "App", JWKSURL: "https://app.example/jwks", Callbacks: []string{"https://app.example/cb"}, PatientScoped: true,
		})
		must(err)
		s.applications = append(s.applications, app)
	}
	for _, tenant := range s.tenants {
		must(commands.Desk{Store: s.store}.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}))
		for _, username := range s.usernames {
			_, err := commands.Desk{Store: s.store}.RegisterStaff(ctx, commands.RegisterStaff{
				Tenant: tenant, Username: username, Name: "Dr " + username, Email: username + "@example.org",
			})
			must(err)
		}
		for n := range 4 {
			id, err := commands.Desk{Store: s.store, Now: s.now}.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: fmt.Sprintf("Patient %d", n)})
			must(err)
			s.patients[tenant] = append(s.patients[tenant], id)
		}
		id, err := commands.Desk{Store: s.store}.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: "Main"})
		must(err)
		s.sites[tenant] = id
	}
}

func anywhere(string) error { return nil }

func oneOf[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// live makes a number of random calls, most of them seconds apart, some hours. Refused
// ones have no effect.
func (s *surgery) live(t testing.TB, times int) {
	t.Helper()
	for range times {
		s.at = s.at.Add(oneOf(s.random, []time.Duration{1500 * time.Millisecond, 20 * time.Second, 90 * time.Minute}))
		err := s.something(t.Context())
		if _, refused := errors.AsType[*fault.Error](err); err != nil && !refused {
			t.Fatal(err)
		}
	}
}

func (s *surgery) something(ctx context.Context) error {
	r, store := s.random, s.store
	tenant, app, username := oneOf(r, s.tenants), oneOf(r, s.applications), oneOf(r, s.usernames)
	about, typ := oneOf(r, s.patients[tenant]), oneOf(r, request.Types())
	grant := application.Grant{
		Endpoint: oneOf(r, access.Grantable()), Mode: oneOf(r, []application.Mode{application.UserRestricted, application.ApplicationRestricted}),
	}
	patients := projections.Patients{DB: s.pool}
	acts := []func() error{
		func() error {
			return commands.Desk{Store: store}.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: app})
		},
		func() error {
			return commands.Desk{Store: store}.GrantEndpoint(ctx, commands.GrantEndpoint{Application: app, Grant: grant})
		},
		func() error {
			_, err := commands.Desk{Store: store, Staff: s.directory, Now: s.now, AuthorisationLifetime: 12 * time.Hour}.
				GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: tenant, Application: app, Username: username})
			return err
		},
		func() error {
			_, err := commands.Desk{Store: store, Staff: s.directory, Now: s.now, AuthorisationLifetime: 12 * time.Hour}.
				GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: app, Username: username, Patient: about})
			return err
		},
		func() error {
			return commands.Desk{Store: store, Staff: s.directory, Now: s.now}.
				RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{Tenant: tenant, Application: app, Username: username})
		},
		func() error {
			return commands.Desk{Store: store, Staff: s.directory}.
				RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: tenant, Patient: about, Usernames: s.usernames[:r.IntN(3)]})
		},
		func() error {
			member, err := s.directory.StaffByUsername(ctx, tenant, username)
			if err != nil {
				return err
			}
			ctx := event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(member.UUID)})
			return commands.Desk{Store: store, Now: s.now}.BreakGlass(ctx, commands.BreakGlass{Tenant: tenant, Patient: about, By: member, Reason: "she has collapsed"})
		},
		func() error {
			return commands.Desk{Store: store, Now: s.now}.PauseRequestType(ctx, commands.PauseRequestType{Tenant: tenant, RequestType: typ, Until: s.at.Add(time.Hour)})
		},
		func() error {
			return commands.Desk{Store: store}.SetOpeningHours(ctx, commands.SetOpeningHours{Tenant: tenant, RequestType: typ, Hours: []string{"mon 08:00-12:30"}[r.IntN(2):]})
		},
		func() error {
			return commands.Desk{Store: store, Now: s.now}.ClosePractice(ctx, commands.ClosePractice{Tenant: tenant, Until: s.at.Add(30 * time.Minute)})
		},
		func() error {
			return s.once(ctx, tenant, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
				id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{
					Tenant: tenant, Submission: request.Submission{Patient: about, Type: typ, Requester: "patient"},
				})
				return []byte(id.String()), err
			})
		},
		func() error {
			return s.once(ctx, tenant, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
				id, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: tenant, Patient: about, Text: "a cough"})
				return []byte(id.String()), err
			})
		},
		func() error {
			return commands.Desk{Store: store, Patients: patients}.OpenCareRecord(ctx, commands.OpenCareRecord{Tenant: tenant, Patient: about})
		},
		func() error {
			id, err := commands.Desk{Store: store, Patients: patients}.
				BookAppointment(ctx, commands.BookAppointment{Tenant: tenant, Patient: about, Site: s.sites[tenant], At: s.at.Add(time.Hour)})
			if err == nil {
				s.appointments[tenant] = append(s.appointments[tenant], id)
			}
			return err
		},
		func() error {
			if len(s.appointments[tenant]) == 0 {
				return nil
			}
			return commands.Desk{Store: store, Now: s.now}.CallInPatient(ctx, commands.CallInPatient{Tenant: tenant, Appointment: oneOf(r, s.appointments[tenant])})
		},
		func() error {
			if len(s.appointments[tenant]) == 0 {
				return nil
			}
			return commands.Desk{Store: store, Now: s.now}.MarkDidNotAttend(ctx, commands.MarkDidNotAttend{Tenant: tenant, Appointment: oneOf(r, s.appointments[tenant])})
		},
		func() error {
			return commands.Desk{Store: store, CheckURL: anywhere}.SetWebhook(ctx, commands.SetWebhook{
				Application: app, Event: oneOf(r, application.WebhookEvents()), URL: "https://app.example/hook"})
		},
	}
	rare := []func() error{
		func() error {
			return commands.Desk{Store: store}.DisableApplication(ctx, commands.DisableApplication{Tenant: tenant, Application: app})
		},
		func() error {
			return commands.Desk{Store: store}.RevokeEndpoint(ctx, commands.RevokeEndpoint{Application: app, Grant: grant})
		},
	}
	if r.IntN(12) == 0 {
		return oneOf(r, rare)()
	}
	return oneOf(r, acts)()
}

// once makes a call, most often with one of a few Idempotency-Keys.
func (s *surgery) once(ctx context.Context, tenant string, act func(context.Context, commands.Desk) ([]byte, error)) error {
	key := event.Idempotency{}
	if s.random.IntN(4) > 0 {
		key = event.Idempotency{Tenant: tenant, Key: event.Digest{byte(s.random.IntN(8)), 1}, Body: event.Digest{2}.String()}
	}
	desk := commands.Desk{
		Store: s.store, Patients: projections.Patients{DB: s.pool}, Receptions: projections.Availability{DB: s.pool}, Responses: projections.IdempotentResponses{DB: s.pool}, Now: s.now,
	}
	_, _, err := commands.Once(ctx, desk, key, act)
	return err
}

// drain brings all events into the log, and advances the asynchronous projections.
func (s *surgery) drain(t testing.TB) {
	t.Helper()
	if err := eventstore.NewSequencer(s.pool, nil, nil, slog.New(slog.DiscardHandler)).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *surgery) follow(t testing.TB) {
	t.Helper()
	s.drain(t)
	for _, p := range projections.Following() {
		do := func(sql string, args ...any) {
			if _, err := s.pool.Exec(t.Context(), sql, args...); err != nil {
				t.Fatal(err)
			}
		}
		var from int64
		do(`INSERT INTO feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`, p.Name())
		if err := s.pool.QueryRow(t.Context(), `SELECT idx FROM feed_offsets WHERE consumer = $1`, p.Name()).Scan(&from); err != nil {
			t.Fatal(err)
		}
		for e, err := range s.log().After(t.Context(), from) {
			if err != nil {
				t.Fatal(err)
			}
			p.Project(e, do)
			do(`UPDATE feed_offsets SET idx = $2 WHERE consumer = $1`, p.Name(), e.Idx)
		}
	}
}

// exec runs a statement as the owner.
func (s *surgery) exec(t testing.TB, sql string) {
	t.Helper()
	if _, err := s.owner.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func (s *surgery) log() eventstore.Log { return eventstore.Log{DB: s.pool, Codec: s.codec} }

func (s *surgery) rebuild() *replay.Rebuild {
	return &replay.Rebuild{
		Pool: s.owner, Log: eventstore.Log{Codec: s.codec, Page: 50}, Keys: s.keys, Now: s.now,
		Projections: projections.All(),
	}
}

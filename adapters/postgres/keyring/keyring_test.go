package keyring_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

var master = sealing.MasterKey{1, 2, 3}

// vault is an engine whose store seals.
type vault struct {
	*enginetest.Engine
	db *postgrestest.Database
}

func newVault(t testing.TB) *vault {
	t.Helper()
	db := postgrestest.New(t)
	v := &vault{enginetest.On(t, db.URL), db}
	codec, err := event.NewCodec(append(eventtest.Events(), domain.Events()...)...)
	if err != nil {
		t.Fatal(err)
	}
	v.Store.Codec, v.Log.Codec = codec, codec
	v.Store.Keys = v.keyring(t, nil)
	return v
}

// keyring returns the keyring of another process.
func (v *vault) keyring(t testing.TB, now func() time.Time) *keyring.Keyring {
	t.Helper()
	k := &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec, Masters: sealing.NewRing(master), Now: now}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

// cold returns the keyring of a process that has just started, and counts its queries.
func (v *vault) cold(t testing.TB) (*keyring.Keyring, *counting) {
	t.Helper()
	asked := &counting{}
	pool, err := postgres.NewTracedPool(t.Context(), v.db.URL, 2, asked)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	k := v.keyring(t, nil)
	k.DB = postgres.On(pool)
	return k, asked
}

func (v *vault) register(t testing.TB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	v.registerAs(t, id)
	return id
}

func (v *vault) registerAs(t testing.TB, id uuid.UUID) {
	t.Helper()
	v.Append(t, streamOf(id), 0, patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann Archer", BirthDate: "1980-02-29"})
}

func streamOf(id uuid.UUID) event.Stream {
	return patient.StreamOf("elm-street", patient.ID{UUID: id})
}

func (v *vault) note(ctx context.Context, about uuid.UUID) error {
	return enginetest.Second(v.Store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Patient: about, Note: "It hurts."}}}))
}

// notes returns all notes, read with a keyring.
func (v *vault) notes(t testing.TB, k *keyring.Keyring) ([]string, error) {
	t.Helper()
	if err := v.Sequencer().Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var notes []string
	for e, err := range (eventstore.Log{DB: v.Pool, Codec: v.Store.Codec, Opens: k}).After(t.Context(), 0) {
		if err != nil {
			return notes, err
		}
		if noted, is := e.Event.(eventtest.Noted); is {
			notes = append(notes, noted.Note)
		}
	}
	return notes, nil
}

func (v *vault) wantNotes(t testing.TB, k *keyring.Keyring, want ...string) {
	t.Helper()
	if got, err := v.notes(t, k); err != nil || !slices.Equal(got, want) {
		t.Errorf("notes %q, %v; want %q", got, err, want)
	}
}

func (v *vault) do(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := v.db.SuperuserPool(t).Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (v *vault) scan(t testing.TB, sql string) (text string) {
	t.Helper()
	if err := v.Pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// act is a context whose call names a practitioner.
func act(ctx context.Context, email string) context.Context {
	by := event.Application(uuid.New(), "application-restricted", &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Bell", Email: email}})
	return event.WithMetadata(ctx, event.Metadata{Actor: by})
}

func TestPersonalValuesAreEncrypted_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann := v.register(t)
	if err := v.note(act(t.Context(), "bell@elm.example"), ann); err != nil {
		t.Fatal(err)
	}
	stored := v.scan(t, `SELECT string_agg(data || metadata || encode(sealed, 'escape'), ' ') FROM events`)
	for _, personal := range []string{"Archer", "1980-02-29", "hurts", "Bell", "bell@"} {
		if strings.Contains(stored, personal) {
			t.Errorf("%q is stored in clear", personal)
		}
	}
	v.wantNotes(t, v.keyring(t, nil), "It hurts.")
	v.wantNotes(t, &keyring.Keyring{DB: v.Store.DB, Codec: v.Store.Codec}, event.Hidden) // no master key
	history, err := v.Store.Load(t.Context(), streamOf(ann))
	if err != nil || history[0].(patient.Registered).Name != event.Hidden {
		t.Errorf("a decision sees %v, %v", history, err)
	}
}

// A key may be missing for three reasons.
func TestLostKeyIsNotDestroyedKey_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, bill := v.register(t), v.register(t)
	for _, about := range []uuid.UUID{ann, bill} {
		if err := v.note(t.Context(), about); err != nil {
			t.Fatal(err)
		}
	}
	v.do(t, `DELETE FROM personal_keys WHERE holder = $1`, ann)
	enginetest.Execute(t, v.db.SuperuserURL, `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint)
		VALUES ('elm-street', 1, '`+ann.String()+`', now(), gen_random_uuid(), '`+ann.String()+`', 2, '')`)
	v.wantNotes(t, v.keyring(t, nil), event.Erased, "It hurts.")

	v.do(t, `DELETE FROM personal_keys WHERE holder = $1`, bill)
	_, err := v.notes(t, v.keyring(t, nil))
	if !errors.Is(err, keyring.ErrKeyLost) || !strings.Contains(err.Error(), "patient "+bill.String()) || strings.Contains(err.Error(), "hurts") {
		t.Errorf("read: %v, want %v and whose it is", err, keyring.ErrKeyLost)
	}
	v.Store.Keys = v.keyring(t, nil)
	if err := v.note(t.Context(), ann); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("a note about who was erased: %v, want %v", err, patient.ErrUnknown)
	}
	if err := v.note(t.Context(), bill); !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("append: %v, want %v", err, keyring.ErrKeyLost)
	}
	if err := v.note(t.Context(), uuid.New()); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("a note about an unknown patient: %v, want %v", err, patient.ErrUnknown)
	}
}

// The values of a request have a key of their own, which belongs to the patient.
func TestARequestHasAKeyOfItsOwn_D68(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	ann, stream := v.register(t), enginetest.NewStream()
	v.Append(t, stream, 0, request.Submitted{Patient: patient.ID{UUID: ann}, Type: request.Medical, Response: []request.Answer{{Answer: "It hurts."}}})
	got := v.scan(t, `SELECT string_agg(kind || ' ' || holder || ' ' || coalesce(patient::text, 'none'), ', ' ORDER BY kind) FROM personal_keys`)
	if want := "1 " + ann.String() + " none, 4 " + stream.ID.String() + " " + ann.String(); got != want {
		t.Errorf("keys of %s, want %s", got, want)
	}
}

func TestAgesOfKeysAreMeasured_D110(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	ages := keyring.Ages(db.Pool(t))
	if got := enginetest.Measured(t, ages); len(got) != 0 {
		t.Errorf("without keys it reports %v", got)
	}
	_, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO master_keys (id, since, replaced_at) VALUES ('old', to_timestamp(1), to_timestamp(2)), ('new', to_timestamp(2), NULL);
		INSERT INTO signing_keys (kid, n, e, state, since, staged_at) VALUES ('a', '', '', 'retired', to_timestamp(3), to_timestamp(3)),
			('b', '', '', 'active', to_timestamp(4), to_timestamp(3)), ('c', '', '', 'staged', to_timestamp(6), to_timestamp(6)), ('d', '', '', 'staged', to_timestamp(5), to_timestamp(5))`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"master_key_since_timestamp_seconds": 2, "signing_key_since_timestamp_seconds active": 4, "signing_key_since_timestamp_seconds staged": 5,
	}
	if diff := cmp.Diff(want, enginetest.Measured(t, ages)); diff != "" {
		t.Errorf("ages (-want +got):\n%s", diff)
	}
}

package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// errUnsealed refuses to write what is personal without a master key into a database
// whose personal data is sealed.
var errUnsealed = fault.New(fault.Refused, "no-master-key", "Personal data is sealed here: give the master key with --master-key-file.")

// split takes the personal values out of events, if this database is sealed.
func (k *Keyring) split(codec *event.Codec, recorded []event.Recorded) ([]split, error) {
	parts := make([]split, len(recorded))
	for n, r := range recorded {
		var err error
		if k == nil || !k.sealed {
			parts[n].Stored, err = codec.Clear(r)
		} else {
			parts[n].Stored, parts[n].personal, err = codec.Split(r)
		}
		if err != nil {
			return nil, err
		}
		_, parts[n].first = r.Event.(patient.Registered)
		parts[n].mints = k.Begun()
		if about := patientOf(r.Event); about != nil {
			parts[n].patient = *about
		}
	}
	return parts, nil
}

// split is an event with its personal values taken out.
type split struct {
	event.Stored
	personal []event.Personal
	patient  uuid.UUID // whom the event is about; zero if it is about none
	first    bool      // it registers a patient
	mints    bool      // holders of before may have no key yet, and get one
}

// practitioner returns whom the event's act claim names, once they are identified.
func (s *split) practitioner() *uuid.UUID {
	for _, p := range s.personal {
		if p.Of.Kind == event.OfPractitioner {
			return &p.Of.ID
		}
	}
	return nil
}

// minted are the keys that an append makes.
type minted map[owner]sealing.Key

// seal puts the personal values of an append into boxes. It returns the keys that the
// append has to store with its events. It returns [patient.ErrUnknown] if a patient was
// erased.
func (k *Keyring) seal(ctx context.Context, events []split) (minted, error) {
	if !slices.ContainsFunc(events, func(e split) bool { return e.personal != nil }) {
		return nil, nil
	}
	if k.Master == (sealing.MasterKey{}) {
		return nil, errUnsealed
	}
	if err := k.identify(ctx, events); err != nil {
		return nil, err
	}
	all, err := k.of(ctx, ownersOf(events))
	if err != nil {
		return nil, err
	}
	made := minted{}
	for n := range events {
		for _, p := range events[n].personal {
			key, err := made.take(all, &events[n], p)
			if err != nil {
				return nil, err
			}
			box, err := key.Seal(p.Of, p.Values, events[n].Stored)
			if err != nil {
				return nil, err
			}
			events[n].Sealed = append(events[n].Sealed, box...)
		}
	}
	return made, nil
}

// take returns the key of a holder in an event, and makes it if the event is the first
// that is about the holder.
func (m minted) take(all keys, e *split, p event.Personal) (sealing.Key, error) {
	o := owner{e.Stream.Tenant, p.Of}
	if key, found := all.found[o]; found {
		return key, nil
	}
	if key, found := m[o]; found {
		return key, nil
	}
	switch {
	case all.erased[o] && p.Of.Kind == event.OfStaff:
		return sealing.Key{}, event.ErrConflict
	case all.erased[o]:
		return sealing.Key{}, patient.ErrUnknown
	case !e.begins(p.Of.Kind):
		return sealing.Key{}, fmt.Errorf("seal %s for %s %s: %w", e.Name, p.Of.Kind, p.Of.ID, ErrKeyLost)
	}
	m[o] = sealing.NewKey()
	return m[o], nil
}

// begins reports whether the event is the first that can be about a holder of a kind.
func (s *split) begins(kind event.HolderKind) bool {
	switch {
	case s.mints:
		return true
	case kind == event.OfPatient:
		return s.first
	case kind == event.OfPractitioner:
		return true
	}
	return s.Version == 1
}

// identify gives each practitioner an identifier.
func (k *Keyring) identify(ctx context.Context, events []split) error {
	for n := range events {
		for i := range events[n].personal {
			p := &events[n].personal[i]
			if p.Known == "" {
				continue
			}
			key, err := k.index(ctx, events[n].Stream.Tenant)
			if err != nil {
				return err
			}
			p.Of.ID = key.Practitioner(events[n].Stream.Tenant, p.Known)
		}
	}
	return nil
}

// index returns the index key of a practice, and makes it at its first use.
func (k *Keyring) index(ctx context.Context, tenant string) (sealing.Key, error) {
	o := index(tenant)
	for range 2 {
		all, err := k.of(ctx, []owner{o})
		if err != nil {
			return sealing.Key{}, err
		}
		if key, found := all.found[o]; found {
			return key, nil
		}
		batch := &pgx.Batch{}
		statements, err := k.statements(minted{o: sealing.NewKey()}, nil)
		if err != nil {
			return sealing.Key{}, err
		}
		for _, s := range statements {
			batch.Queue(s.sql+` ON CONFLICT DO NOTHING`, s.args...)
		}
		if err := k.DB.ExecBatch(ctx, batch); err != nil {
			return sealing.Key{}, fmt.Errorf("make the index key of a practice: %w", err)
		}
	}
	return sealing.Key{}, ErrKeyLost
}

func ownersOf(events []split) (owners []owner) {
	for _, e := range events {
		for _, p := range e.personal {
			o := owner{e.Stream.Tenant, p.Of}
			if !slices.Contains(owners, o) {
				owners = append(owners, o)
			}
		}
	}
	return owners
}

const insertKey = `
INSERT INTO personal_keys (tenant, kind, holder, patient, fingerprint, master, wrapped) VALUES ($1, $2, $3, $4, $5, $6, $7)`

// statements store the keys that an append has made with its events. A request's key
// belongs to the patient whom its event is about.
func (k *Keyring) statements(made minted, events []split) (all []statement, err error) {
	if len(made) == 0 {
		return nil, nil
	}
	wrapper, err := k.Master.Wrapper()
	if err != nil {
		return nil, err
	}
	for o, key := range made {
		wrapped, err := wrapper.Wrap(key, o.tenant, o.holder)
		if err != nil {
			return nil, err
		}
		fingerprint := key.Fingerprint()
		all = append(all, statement{insertKey, []any{
			o.tenant, int16(o.holder.Kind), o.holder.ID, patientFor(o, events), fingerprint[:], k.Master.ID(), wrapped,
		}})
	}
	return all, nil
}

func patientFor(o owner, events []split) *uuid.UUID {
	for _, e := range events {
		if o.holder == (event.Holder{Kind: event.OfRequest, ID: e.Stream.ID}) && e.patient != uuid.Nil {
			return &e.patient
		}
	}
	return nil
}

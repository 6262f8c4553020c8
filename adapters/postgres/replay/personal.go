package replay

import (
	"slices"
	"time"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Most read models hold no personal data, so a replay leaves events encrypted. It opens
// only the data for the tables of the others. Without a master key these are left out:
// they would hold event.Hidden.

// openable returns the read models that the keys suffice for, and the names of the
// others.
func openable(keys *keyring.Keyring, all []projections.Projection) (readable []projections.Projection, hidden []string) {
	if keys.Opens() {
		return all, nil
	}
	for _, p := range all {
		if slices.ContainsFunc(projections.TablesOf(p), holdsPersonal) {
			hidden = append(hidden, p.Name())
			continue
		}
		readable = append(readable, p)
	}
	return readable, hidden
}

func holdsPersonal(t projections.Table) bool { return len(t.Of) > 0 }

// opening returns a log that opens the data of some read models for rows that are kept
// at an instant.
func opening(log eventstore.Log, keys *keyring.Keyring, of []projections.Projection, now time.Time) eventstore.Log {
	if keys == nil {
		return log
	}
	var tables []projections.Table
	for _, p := range of {
		tables = append(tables, slices.DeleteFunc(slices.Clone(projections.TablesOf(p)), func(t projections.Table) bool { return !holdsPersonal(t) })...)
	}
	log.Opens = keys.Only(func(s event.Stored, kind event.HolderKind) bool {
		return slices.ContainsFunc(tables, func(t projections.Table) bool {
			return slices.Contains(t.Of, kind) && (t.Kept == 0 || s.At.After(now.Add(-t.Kept))) && (!t.Keyed || keyed(s))
		})
	})
	return log
}

// keyed reports whether an event is of a call with an Idempotency-Key. Unreadable
// metadata counts as such: opening the event then returns the reason.
func keyed(s event.Stored) bool {
	m, err := event.ParseMetadata(s.Metadata)
	return err != nil || m.Idempotency != (event.Idempotency{})
}

package replay_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// passwordOf gives a member of Elm Street a password whose hash has a digest in the
// log, or none.
func (s *surgery) passwordOf(t *testing.T, username, stored string, digest event.Digest) staff.ID {
	t.Helper()
	id, err := s.directory.StaffByUsername(t.Context(), "elm-street", username)
	if err != nil {
		t.Fatal(err)
	}
	credential := staff.CredentialID{UUID: event.NewID()}
	_, err = s.store.Append(t.Context(), event.Change{
		Stream: staff.StreamOf("elm-street", id), Expected: 1, Events: []event.Event{staff.PasswordSet{Credential: credential, Digest: digest}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []staff.CredentialID{credential, {UUID: event.NewID()}} { // the other one was abandoned
		_, err = s.owner.Exec(t.Context(), `INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ('elm-street', $1, $2, $3)`, id, c, stored)
		if err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func TestRebuildFindsUnknownHash_D56(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	known := func(hash string) event.Digest { return sha256.Sum256([]byte(hash)) }
	s.passwordOf(t, "kim", "$argon2id$kim", known("$argon2id$kim"))
	s.passwordOf(t, "sam", "$argon2id$sam", event.Digest{}) // from before the log had digests
	s.follow(t)
	if found := run(t, s.rebuild()).Hashes; len(found) != 0 {
		t.Fatalf("found %v", found)
	}
	lee := s.passwordOf(t, "dr.lee", "$argon2id$a-thief", known("$argon2id$lee"))
	s.follow(t) // brings it into the log
	want := []replay.Hash{{Tenant: "elm-street", Staff: lee}}
	if found := run(t, s.rebuild()).Hashes; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	if found := s.repaired(t).Hashes; !slices.Equal(found, want) {
		t.Errorf("a switch found %v, want %v", found, want)
	}
	others := s.rebuild()
	others.Projections = []projections.Projection{projections.Patients{}}
	if found := run(t, others).Hashes; len(found) != 0 {
		t.Errorf("without staff it found %v", found)
	}
}

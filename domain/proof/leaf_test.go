package proof_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

var (
	stream  = uuid.MustParse("0198a1b2-0000-7000-8000-000000000001")
	id      = uuid.MustParse("0198a1b2-0000-7000-8000-000000000002")
	patient = uuid.MustParse("0198a1b2-0000-7000-8000-000000000003")
	at      = time.Date(2026, 11, 22, 9, 30, 0, 123456000, time.UTC)
)

func stored() event.Stored {
	return event.Stored{
		Idx: 7, ID: id, Stream: event.Stream{Tenant: "north", ID: stream}, Version: 3, At: at, Name: "test.noted.v1",
		Data: []byte(`{"note":"[personal]"}`), Metadata: []byte(`{"actor":{"kind":"service"}}`), Patient: patient, Sealed: []byte{1, 2, 3},
	}
}

// These hashes are in signed trees, so they must not change.
func TestALeafIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	whole, bare := stored(), stored()
	bare.Stream.Tenant, bare.Patient, bare.Sealed = "", uuid.Nil, nil
	for want, s := range map[string]event.Stored{
		"d01beb8552f81794aaeaf6c7564c511c4540be2d78cc3c6ecc6dde2df569f91a": whole,
		"eff963d2fa51203f7a72a55d8e6b4e30fa3327169db254a7e976aae420f0fb75": bare,
	} {
		hash := proof.LeafOf(s).Hash()
		if got := hex.EncodeToString(hash[:]); got != want {
			t.Errorf("the leaf is %s, want %s", got, want)
		}
	}
}

func TestEverythingThatIsStoredIsInTheLeaf(t *testing.T) {
	t.Parallel()
	hash := proof.LeafOf(stored()).Hash()
	for name, change := range map[string]func(*event.Stored){
		"idx":        func(s *event.Stored) { s.Idx++ },
		"id":         func(s *event.Stored) { s.ID[15]++ },
		"tenant":     func(s *event.Stored) { s.Stream.Tenant = "south" },
		"stream":     func(s *event.Stored) { s.Stream.ID[15]++ },
		"version":    func(s *event.Stored) { s.Version++ },
		"at":         func(s *event.Stored) { s.At = s.At.Add(time.Microsecond) },
		"name":       func(s *event.Stored) { s.Name = "test.noted.v2" },
		"data":       func(s *event.Stored) { s.Data = append(s.Data, ' ') },
		"metadata":   func(s *event.Stored) { s.Metadata = append(s.Metadata, ' ') },
		"patient":    func(s *event.Stored) { s.Patient[15]++ },
		"no patient": func(s *event.Stored) { s.Patient = uuid.Nil },
		"sealed":     func(s *event.Stored) { s.Sealed[0]++ },
		"no box":     func(s *event.Stored) { s.Sealed = nil },
		"empty":      func(s *event.Stored) { s.Sealed = []byte{} },
	} {
		s := stored()
		change(&s)
		if proof.LeafOf(s).Hash() == hash {
			t.Errorf("another %s is the same leaf", name)
		}
	}
}

func TestAnAccessLeafIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	whole := proof.AccessLeaf{
		Idx: 9, RequestID: id, At: at, Tenant: "north", Application: stream, Mode: "user-restricted", Staff: patient,
		Endpoint: "create-note", Patient: patient, Status: 403, Code: "consent-missing", TokenHash: event.Digest{1}, Reason: event.Digest{2},
		Act: &event.Digest{3}, Sealed: &event.Digest{4},
	}
	bare := whole
	bare.Staff, bare.Patient, bare.Act, bare.Sealed = uuid.Nil, uuid.Nil, nil, nil
	repeated := whole
	repeated.Repeats = 258
	for want, l := range map[string]proof.AccessLeaf{
		"89942ce3c5f2b24116baf3bfdcf024212ae87c1b98138887c2ca35369cf3e0c6": repeated,
		"5e3d0205f8116cf80c3c8edfe5104bf454bc610667c790bee1eb4d7cb7deabc2": whole,
		"3bd99fd93ded425ce335644550114dd580eeaad19586ec33ff405732639a5170": bare,
	} {
		hash := l.Hash()
		if got := hex.EncodeToString(hash[:]); got != want {
			t.Errorf("the leaf is %s, want %s", got, want)
		}
	}
}

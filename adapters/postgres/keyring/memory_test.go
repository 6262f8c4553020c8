//go:build goexperiment.runtimesecret

package keyring_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
)

// masked is a key that memory does not hold: each byte is inverted.
type masked [32]byte

// maskedKey returns the key of a patient, as the database has it.
func (v *vault) maskedKey(t *testing.T, holder event.Holder) (m masked) {
	t.Helper()
	var wrapped []byte
	if err := v.Pool.QueryRow(t.Context(), `SELECT wrapped FROM personal_keys WHERE kind = $1 AND holder = $2`, int16(holder.Kind), holder.ID).Scan(&wrapped); err != nil {
		t.Fatal(err)
	}
	wrapper, err := master.Wrapper()
	if err != nil {
		t.Fatal(err)
	}
	key, err := wrapper.Unwrap(wrapped, "elm-street", holder)
	if err != nil {
		t.Fatal(err)
	}
	defer clear(key[:])
	for n, b := range key {
		m[n] = ^b
	}
	return m
}

// countInMemory counts the copies of a key in the writable memory of this process.
func countInMemory(t *testing.T, m masked) (copies int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("this system does not show a process its memory")
	}
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skip("this system does not show a process its memory")
	}
	defer memory.Close()
	window := make([]byte, 1<<20)
	for scanner := bufio.NewScanner(bytes.NewReader(maps)); scanner.Scan(); {
		var from, to uint64
		fields := strings.Fields(scanner.Text())
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err != nil || !strings.HasPrefix(fields[1], "rw") {
			continue
		}
		for at := from; at < to; at += uint64(len(window)) - uint64(len(m)) {
			n, _ := memory.ReadAt(window[:min(uint64(len(window)), to-at)], int64(at)) //nolint:gosec // an address of this process
			copies += m.count(window[:n])
			clear(window)
			if to-at <= uint64(len(window)) {
				break
			}
		}
	}
	return copies
}

func (m masked) count(in []byte) (n int) {
	first := ^m[0]
	for at := 0; ; at++ {
		next := bytes.IndexByte(in[at:], first)
		if next < 0 || at+next+len(m) > len(in) {
			return n
		}
		at += next
		same := true
		for i, b := range m {
			if in[at+i] != ^b {
				same = false
				break
			}
		}
		if same {
			n++
		}
	}
}

// A process forgets the key of an erased person: once memory has been collected, no copy is
// left. TestProveForgottenKeyLeavesMemory_D136 runs it.
func TestForgottenKeyLeavesMemory_D136(t *testing.T) { //nolint:paralleltest // it reads the memory of the process
	v := newVault(t)
	ann := v.register(t)
	for range 3 {
		if err := v.note(t.Context(), ann); err != nil {
			t.Fatal(err)
		}
	}
	reader := v.keyring(t, nil)
	v.wantNotes(t, reader, "It hurts.", "It hurts.", "It hurts.")
	key := v.maskedKey(t, event.Holder{Kind: event.OfPatient, ID: ann})
	if countInMemory(t, key) == 0 {
		t.Fatal("the key is not in memory while it is used; this test would show nothing")
	}
	v.do(t, `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE holder = $1`, ann)
	for _, k := range []*keyring.Keyring{v.Store.Keys, reader} {
		if _, err := k.Evict(t.Context(), time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	clocktest.Eventually(t, func() bool {
		runtime.GC()
		return countInMemory(t, key) == 0
	}, "no copy of a key that was forgotten is in memory")
}

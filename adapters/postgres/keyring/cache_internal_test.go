package keyring

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

var Noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// person returns one of many owners, and their key.
func person(n int) (owner, sealing.Key) {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return owner{"practice-" + strconv.Itoa(n%100), event.Holder{Kind: event.OfPatient, ID: id}}, sealing.Key(append(id[:], id[:]...))
}

func (c *keyCache) putPerson(n int, now time.Time) {
	o, key := person(n)
	_, _, stamp := c.take(nil, now)
	c.put(map[owner]sealing.Key{o: key}, stamp, now)
}

func (c *keyCache) wantPerson(t *testing.T, n int, now time.Time, want bool) {
	t.Helper()
	o, key := person(n)
	found, missing, _ := c.take([]owner{o, o}, now)
	if got, has := found[o]; has != want || has && got != key || len(missing) == len(found) {
		t.Errorf("person %d: has %t, missing %v; want %t", n, has, missing, want)
	}
}

// overwritten fails if a place of a dropped key still holds one.
func (c *keyCache) overwritten(t *testing.T) {
	t.Helper()
	left := 0
	for _, block := range c.blocks {
		for _, e := range block {
			if e.key != (sealing.Key{}) {
				left++
			}
		}
	}
	if left != c.held() {
		t.Errorf("%d keys stand in memory, want the %d that are held", left, c.held())
	}
}

func TestTheOldestKeysMakeRoom_D69(t *testing.T) {
	t.Parallel()
	c := &keyCache{size: 3000}
	for n := range 10_000 {
		c.putPerson(n, Noon)
	}
	for n, want := range map[int]bool{0: false, 6_999: false, 7_000: true, 9_999: true} {
		c.wantPerson(t, n, Noon, want)
	}
	if c.held() != 3000 || len(c.blocks) != 4 {
		t.Errorf("%d keys in %d blocks, want 3,000 in 4", c.held(), len(c.blocks))
	}
	c.putPerson(7_000, Noon) // comes once more, and so is the newest
	for n := range 2999 {
		c.putPerson(10_000+n, Noon)
	}
	c.wantPerson(t, 7_000, Noon, true)
	c.wantPerson(t, 9_999, Noon, false)
	c.overwritten(t)
}

func TestAKeyIsRememberedForAnHour_D69(t *testing.T) {
	t.Parallel()
	c := &keyCache{}
	c.putPerson(1, Noon)
	c.putPerson(2, Noon.Add(time.Minute))
	c.wantPerson(t, 1, Noon.Add(time.Hour-time.Second), true)
	c.wantPerson(t, 1, Noon.Add(time.Hour), false)
	c.wantPerson(t, 2, Noon.Add(time.Hour), true)
	c.wantPerson(t, 2, Noon.Add(time.Hour+time.Minute), false)
	c.overwritten(t)
}

// The memory of the cache does not grow for as many hours as it has room for.
func TestTheKeysOfAnHourTakeNoMoreThanTheyAre_D114(t *testing.T) {
	t.Parallel()
	c := &keyCache{}
	for second := range 6 * 3600 {
		now := Noon.Add(time.Duration(second) * time.Second)
		c.putPerson(second, now)
	}
	if c.held() != 3600 || len(c.blocks) > 5 {
		t.Errorf("%d keys in %d blocks, want 3,600 in 5 at most", c.held(), len(c.blocks))
	}
	c.overwritten(t)
}

// The lower half of a number identifies it.
func TestKeysAreFoundAfterFourBillion_D114(t *testing.T) {
	t.Parallel()
	const many = 1<<32 - blockKeys
	c := &keyCache{size: 3000, oldest: many, next: many}
	for n := range 5000 {
		c.putPerson(n, Noon)
	}
	c.wantPerson(t, 1_999, Noon, false)
	c.wantPerson(t, 2_000, Noon, true)
	c.wantPerson(t, 4_999, Noon, true)
	c.overwritten(t)
}

// A key that was on its way from the database when its holder was erased is not kept.
func TestForgottenHolderStaysForgotten_D69(t *testing.T) {
	t.Parallel()
	c := &keyCache{}
	c.putPerson(1, Noon)
	c.putPerson(2, Noon)
	one, key := person(1)
	_, _, stamp := c.take([]owner{one}, Noon)
	c.forget([]owner{one})
	c.wantPerson(t, 1, Noon, false)
	c.wantPerson(t, 2, Noon, true)
	c.put(map[owner]sealing.Key{one: key}, stamp, Noon)
	c.wantPerson(t, 1, Noon, false)
	c.overwritten(t)
}

func TestKeysAreThoseOfTheirPracticeAndKind_D69(t *testing.T) {
	t.Parallel()
	c := &keyCache{}
	one, key := person(1)
	elsewhere, asStaff := one, one
	elsewhere.tenant, asStaff.holder.Kind = "practice-2", event.OfStaff
	c.put(map[owner]sealing.Key{one: key}, 0, Noon)
	if found, missing, _ := c.take([]owner{elsewhere, asStaff}, Noon); len(found) != 0 || len(missing) != 2 {
		t.Errorf("found %v, missing %v", found, missing)
	}
}

func TestManyMayAskAtOnce_D69(t *testing.T) {
	t.Parallel()
	c := &keyCache{size: 50}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for n := range 500 {
				one, key := person(n % 70)
				found, _, stamp := c.take([]owner{one}, Noon)
				if got, has := found[one]; has && got != key {
					t.Errorf("person %d has the key of another", n%70)
				}
				c.put(map[owner]sealing.Key{one: key}, stamp, Noon)
				if n%100 == worker {
					c.forget([]owner{one})
				}
			}
		})
	}
	all.Wait()
}

// At a million persons the keys in memory stay within 64 MiB. It does not run in parallel, so
// that no other test's memory is counted.
func TestKeysInMemoryAreBounded_D69(t *testing.T) { //nolint:paralleltest // it measures the memory of the whole process
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	c, before := &keyCache{}, used()
	for page := range 1000 {
		keys := map[owner]sealing.Key{}
		for n := range 1000 {
			o, key := person(page*1000 + n)
			keys[o] = key
		}
		c.put(keys, 0, Noon)
	}
	took := int64(used()) - int64(before)
	t.Logf("%d keys take %d bytes", c.held(), took)
	if took > 64<<20 || c.held() != 300_000 {
		t.Errorf("%d keys take %d bytes, want 300,000 in 64 MiB", c.held(), took)
	}
}

func TestKeysAreWipedAfterUse_D136(t *testing.T) {
	t.Parallel()
	k := &Keyring{}
	o := owner{tenant: "elm-street"}
	made := Minted{keys: map[owner]sealing.Key{o: sealing.NewKey()}}
	k.Keep(made)
	if len(made.keys) > 0 {
		t.Error("an append keeps the keys that it has made")
	}
	all, err := k.keysOf(t.Context(), []owner{o})
	if err != nil || !all.has(o) {
		t.Fatalf("the key is not in the cache: %v", err)
	}
	if all.wipe(); len(all.found) > 0 {
		t.Error("keys that were used are not overwritten")
	}
	if again, err := k.keysOf(t.Context(), []owner{o}); err != nil || !again.has(o) {
		t.Errorf("the cache has lost the key: %v", err)
	}
}

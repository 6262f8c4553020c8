package keyring

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// keyCache caches keys that are in the database. Its size is bounded, the oldest keys make
// room for new ones, and none is older than [keyLife]: a key whose row is gone opens nothing
// for longer than that, even if a process has missed its erasure. A key that is dropped is
// overwritten.
//
// Its entries are in blocks, in the order in which they came, and never move. So no key
// is left behind where a slice or map has grown. A block is freed with the last of its keys,
// so that the cache takes as much memory as the keys of an hour. 300,000 take about 40 MB.
type keyCache struct {
	size int // keys at most; 0 means [cachedKeys]

	hits atomic.Int64

	mu           sync.Mutex
	places       map[keyName]uint32 // the lower half of the number of each
	practices    map[string]uint32
	blocks       []*[blockKeys]keyEntry // from that of the oldest on
	oldest, next uint64                 // how many have gone, and how many have come
	forgotten    uint64                 // how often keys were forgotten
}

const (
	cachedKeys = 300_000
	keyLife    = time.Hour
	blockKeys  = 1024
)

// keyName is an owner in few bytes, without a pointer.
type keyName struct {
	practice uint32
	kind     event.HolderKind
	holder   uuid.UUID
}

type keyEntry struct {
	name  keyName
	key   sealing.Key
	since int64 // in Unix seconds
	kept  bool
}

// take returns the keys that it has, and the owners whose keys it does not have. Put their
// keys with the stamp that it returns.
func (c *keyCache) take(owners []owner, now time.Time) (found map[owner]sealing.Key, missing []owner, stamp uint64) {
	found = make(map[owner]sealing.Key, len(owners))
	asked := make(map[owner]struct{}, len(owners))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(now)
	for _, o := range owners {
		if _, already := asked[o]; already {
			continue
		}
		asked[o] = struct{}{}
		if place, known := c.places[c.nameOf(o)]; known {
			found[o] = c.at(c.numberOf(place)).key
		} else {
			missing = append(missing, o)
		}
	}
	c.hits.Add(int64(len(found)))
	return found, missing, c.forgotten
}

// put caches keys, unless keys were forgotten since the stamp was given: these might be among
// them.
func (c *keyCache) put(keys map[owner]sealing.Key, stamp uint64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stamp != c.forgotten {
		return
	}
	if c.places == nil {
		c.places, c.practices = map[keyName]uint32{}, map[string]uint32{}
	}
	for o, key := range keys {
		c.add(o, key, now)
	}
}

func (c *keyCache) add(o owner, key sealing.Key, now time.Time) {
	if _, known := c.practices[o.tenant]; !known {
		c.practices[o.tenant] = uint32(len(c.practices)) + 1 // as many as there are practices
	}
	name := c.nameOf(o)
	c.drop(name)
	if c.next-c.oldest == c.limit() {
		c.dropOldest()
	}
	if c.blockOf(c.next) == len(c.blocks) {
		c.blocks = append(c.blocks, new([blockKeys]keyEntry))
	}
	*c.at(c.next) = keyEntry{name, key, now.Unix(), true}
	c.places[name] = uint32(c.next) // numberOf knows the upper half
	c.next++
}

// forget drops the keys of owners.
func (c *keyCache) forget(gone []owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgotten++
	for _, o := range gone {
		c.drop(c.nameOf(o))
	}
}

// expire drops the keys that are too old. They are the first.
func (c *keyCache) expire(now time.Time) {
	for c.oldest < c.next {
		first := c.at(c.oldest)
		if first.kept && now.Unix()-first.since < int64(keyLife/time.Second) {
			return
		}
		c.dropOldest()
	}
}

func (c *keyCache) dropOldest() {
	if first := c.at(c.oldest); first.kept {
		c.drop(first.name)
	}
	if c.oldest++; c.oldest%blockKeys == 0 {
		c.blocks = slices.Delete(c.blocks, 0, 1)
	}
}

// drop overwrites a key. Its place is free once all that came before it have gone.
func (c *keyCache) drop(name keyName) {
	if place, known := c.places[name]; known {
		*c.at(c.numberOf(place)) = keyEntry{}
		delete(c.places, name)
	}
}

// numberOf returns the number of a key that has its place: less than 2^32 after the oldest.
func (c *keyCache) numberOf(place uint32) uint64 {
	return c.oldest + uint64(place-uint32(c.oldest))
}

func (c *keyCache) at(number uint64) *keyEntry {
	return &c.blocks[c.blockOf(number)][number%blockKeys]
}

func (c *keyCache) blockOf(number uint64) int { return int(number/blockKeys - c.oldest/blockKeys) }

// nameOf returns a name that nothing has for the owner of a practice without keys.
func (c *keyCache) nameOf(o owner) keyName {
	return keyName{c.practices[o.tenant], o.holder.Kind, o.holder.ID}
}

func (c *keyCache) limit() uint64 {
	if c.size > 0 {
		return uint64(c.size)
	}
	return cachedKeys
}

// held returns the number of keys.
func (c *keyCache) held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.places)
}

// Package keyring encrypts and decrypts personal values, in events and elsewhere, with a
// key for each person and each request.
//
//   - [Keyring.Seal] puts the personal values of an append into boxes. [Keyring.Wrap] returns
//     the [Rows] of the keys that it made, which the append stores, and [Keyring.Keep]
//     remembers them once it is committed.
//   - [Keyring.Open] opens a page of events with one query for all keys, and [Keyring.Only]
//     a part of their values. [Keyring.SealOthers] and [Keyring.OpenOthers] do it for values
//     outside of events.
//   - [Keyring.Start] makes sure of the master key, under which all keys are stored, and
//     [MasterRotation] replaces it.
//   - [Keyring.Follow] forgets the keys of erased holders. [Keyring.Look] counts the boxes
//     that open, and keeps no value.
//
// cache.go limits how many keys are remembered, and for how long; evict.go drops those of
// erased holders.
//
// A key that is neither in the database nor destroyed by an erasure is [ErrKeyLost]; nothing
// makes it again (D69).
package keyring

package keyring_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// remains counts the copies of bytes in the file of a table, in the WAL and in statistics.
// Postgres keeps them after their row is deleted.
func (v *vault) remains(t *testing.T, table string, wanted []byte) (heap, wal, statistics int) {
	t.Helper()
	super := v.db.SuperuserPool(t)
	if _, err := super.Exec(t.Context(), `CHECKPOINT`); err != nil {
		t.Fatal(err)
	}
	read := func(wanted []byte, sql string, args ...any) (n int) {
		t.Helper()
		rows, err := super.Query(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var content []byte
			if err := rows.Scan(&content); err != nil {
				t.Fatal(err)
			}
			n += bytes.Count(content, wanted)
		}
		return n
	}
	heap = read(wanted, `SELECT pg_read_binary_file(pg_relation_filepath($1::regclass))`, table)
	wal = read(wanted, `SELECT pg_read_binary_file('pg_wal/' || name) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`)
	statistics = read([]byte(hex.EncodeToString(wanted)), `SELECT convert_to(concat(stavalues1, stavalues2, stavalues3), 'UTF8') FROM pg_statistic`)
	return heap, wal, statistics
}

// opens reports whether a ring decrypts a key.
func opens(ring *sealing.Ring, wrapped []byte, of event.Holder) bool {
	return slices.ContainsFunc(ring.IDs(), func(id string) bool {
		wrapper, err := ring.Wrapper(id)
		if err != nil {
			return false
		}
		_, err = wrapper.Unwrap(wrapped, "elm-street", of)
		return err == nil
	})
}

// After an erasure, the file of the table and the WAL still hold the wrapped key, and so does
// each backup of them. The ring opens it until the master key of that time has left the ring.
func TestRemainsOfErasedKeyStayClosed_D136(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.do(t, `ALTER TABLE personal_keys SET (autovacuum_enabled = false)`) // it would remove the deleted row
	ann := v.register(t)
	if err := v.note(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	of := event.Holder{Kind: event.OfPatient, ID: ann}
	var backup []byte // of before the erasure
	if err := v.Pool.QueryRow(t.Context(), `SELECT wrapped FROM personal_keys WHERE kind = $1 AND holder = $2`, int16(of.Kind), of.ID).Scan(&backup); err != nil {
		t.Fatal(err)
	}
	v.do(t, `ANALYZE`)
	v.do(t, `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE holder = $1`, ann)
	v.do(t, `INSERT INTO erasure_masters SELECT tenant, erasure, (SELECT max(number) FROM master_keys) FROM erasures`) // as erase_by_event does
	v.do(t, `DELETE FROM personal_keys WHERE holder = $1`, ann)
	heap, wal, statistics := v.remains(t, "personal_keys", backup)
	t.Logf("copies of the wrapped key after the erasure: %d in the file of the table, %d in the WAL, %d in statistics", heap, wal, statistics)
	if heap == 0 || statistics > 0 {
		t.Errorf("%d copies in the table's file, %d in statistics: want some and none", heap, statistics)
	}
	ring := sealing.NewRing(master)
	if !opens(ring, backup, of) {
		t.Fatal("the ring does not open the copies before the rotation: this test would show nothing")
	}

	ring.Replace(newMaster, master)
	v.rotate(t, newMaster, master)
	ring.Replace(newMaster) // the old master key has left the ring
	if opens(ring, backup, of) {
		t.Error("the ring of today opens a copy of the erased key")
	}
	if err := keyring.MarkDestroyed(t.Context(), postgres.On(v.db.AdminPool(t)), master.ID(), "alice@desk7"); err != nil {
		t.Fatal(err)
	}
	if final := v.scan(t, `SELECT (final_since IS NOT NULL)::text FROM erasure_finality`); final != "true" {
		t.Errorf("the erasure is final: %s", final)
	}
}

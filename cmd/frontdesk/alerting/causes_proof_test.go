package alerting_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
)

var proofCauses = map[string]cause{
	"another session holds the prover's row": {
		fires: []string{"ProverLags"},
		wrong: func(w *world) {
			w.holds(`SELECT FROM prover WHERE kind = 1 FOR UPDATE`)
			w.until("the trees lag", func(m metrics) bool { return m.above("frontdesk_prover_lag_seconds", 1) })
		},
		fix: func(w *world) {
			w.release()
			w.until("the trees have caught up", func(m metrics) bool {
				return m.most("frontdesk_log_head")-m.most(`frontdesk_prover_idx`, `kind="events"`) < 1000
			})
		},
	},
	"the signer ends": {
		fires: []string{"CheckpointsLag", "LogIsNotSigned", "ProcessDown"},
		wrong: func(w *world) { w.sign.stop() },
		fix:   func(w *world) { w.signsAgain(); w.until("all is signed", signed) },
	},
	"an event is changed behind its signature": {
		fires: []string{"LogIsNotAsSigned", "LogIsNotSigned", "CheckpointsLag"},
		wrong: func(w *world) {
			w.until("all is signed", signed)
			w.sign.stop()
			w.past(`UPDATE events SET data = replace(data, 'Elm', 'Oak') WHERE name = 'practice.registered.v1'`)
			w.signed.VerifyAll = true
			w.signsAgain()
		},
		fix: func(w *world) {
			w.sign.stop()
			w.past(`UPDATE events SET data = replace(data, 'Oak', 'Elm') WHERE name = 'practice.registered.v1'`)
			w.signsAgain()
			w.until("all is signed", signed)
		},
	},
	"a restore has lost what was signed": {
		fires: []string{"EpochHasLostEntries", "EpochBegun"},
		wrong: func(w *world) {
			last := 0.0
			w.until("all is signed", func(m metrics) bool { last = m.most("frontdesk_signer_idx", `log="events"`); return signed(m) })
			w.sign.stop()
			w.past(fmt.Sprintf(`SELECT FROM sequencer FOR UPDATE;
				DELETE FROM events WHERE position IN (SELECT position FROM log WHERE idx >= %.0f);
				DELETE FROM log WHERE NOT EXISTS (SELECT FROM events WHERE position = log.position);
				UPDATE sequencer SET head = (SELECT max(idx) FROM log)`, last))
			_, err := eventstore.NewSequencer(w.owner, nil, nil, nil).DeclareEpoch(w.t.Context(), 2, "The volume was put back.", event.Operator("owner", "desk"))
			w.must(err)
			w.signsAgain()
		},
		fix: func(w *world) {
			w.sign.stop()
			w.signed.AcceptEpoch = 2
			w.signsAgain()
			w.until("all is signed", signed)
		},
	},
	"an old event cannot be read": {
		fires: []string{"LogIsNotReadAgain"},
		wrong: func(w *world) {
			w.as(largeEvent)
			w.append(2 * few) // so that the large one is signed when nearly all are
			w.until("the log is ahead", caughtUp)
			w.until("all is signed", signed)
			w.sign.stop()
			w.readLast(clock.System().Add(-25 * time.Hour))
			w.as(unreadable)
			w.signsAgain()
			w.until("it signs what is new", signed)
		},
		lasts: 60 * time.Hour, renew: []string{sweeps},
	},
}

// largeEvent stores an event that Postgres does not keep in its row.
const largeEvent = `
INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
SELECT gen_random_uuid(), tenant, gen_random_uuid(), 1, name,
	data || (SELECT string_agg((ARRAY[' ', E'\t', E'\n'])[1 + floor(3 * random())], '') FROM generate_series(1, 60000)), metadata, now()
FROM events WHERE name = 'application.endpoint-granted.v1' LIMIT 1`

// unreadable makes Postgres fail to read values outside their row, as with a bad disk block.
const unreadable = `
SET allow_system_table_mods = on;
UPDATE pg_index SET indisvalid = false WHERE indrelid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'events'::regclass);
RESET allow_system_table_mods`

// past changes append-only data.
func (w *world) past(sql string) {
	w.t.Helper()
	tx, err := w.owner.Begin(w.t.Context())
	w.must(err)
	_, err = tx.Exec(w.t.Context(), `SET LOCAL session_replication_role = replica`)
	w.must(err)
	_, err = tx.Exec(w.t.Context(), sql)
	w.must(err)
	w.must(tx.Commit(w.t.Context()))
}

var verified = regexp.MustCompile(`"verified":"[^"]*"`)

// readLast sets the time of the last full reading in the signer's state.
func (w *world) readLast(at time.Time) {
	w.t.Helper()
	name := filepath.Join(w.signed.Dir, "state")
	text, err := os.ReadFile(name)
	w.must(err)
	_, rest, _ := strings.Cut(string(text), "\n")
	rest = verified.ReplaceAllString(rest, `"verified":"`+at.UTC().Format(time.RFC3339)+`"`)
	sum := sha256.Sum256([]byte(rest))
	w.must(os.WriteFile(name, []byte(hex.EncodeToString(sum[:])+"\n"+rest), 0o600))
}

//go:build prove

package trouble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

const tenant = "elm-street"

// world is one plan, carried out.
type world struct {
	t        *testing.T
	plan     plan
	cluster  *cluster
	url      string // as the serving role
	wires    *wires // of all writers
	calls    *pgxpool.Pool
	looks    *pgxpool.Pool // of the checks
	store    *eventstore.Store
	appended *background.Broadcast
	receiver *receiver
	ledger   *ledger
	placed   []uuid.UUID  // the log as it was after the last round, by idx
	totals   tally        // state after the last round
	failing  atomic.Int64 // how many of a hundred attempts fail

	mu        sync.Mutex
	moods     *rand.Rand
	processes []*process
	tally     tally // events of the search
}

// The owners of dice. Writers and strokes come after these.
const (
	dicePlan = iota
	diceMoods
	diceReceiver
	diceWriters
)

func newWorld(t *testing.T, p plan) *world {
	t.Helper()
	w := &world{
		t: t, plan: p, cluster: newCluster(t), wires: &wires{}, appended: &background.Broadcast{}, tally: tally{"worlds": 1},
		moods: diceOf(p.seed, diceMoods), receiver: newReceiver(t, diceOf(p.seed, diceReceiver)),
		ledger: &ledger{deeds: map[string]deed{}},
	}
	for _, setting := range p.settings {
		w.cluster.must(`ALTER DATABASE frontdesk SET ` + setting)
	}
	w.cluster.must(handledTable)
	w.url = w.cluster.URL("frontdesk", postgres.AppRole)
	w.calls = w.wires.pool(t, w.url, "caller")
	w.looks = (&wires{}).pool(t, plainly(w.url), "checker")
	t.Cleanup(func() { w.wires.cut(true); w.calls.Close(); w.looks.Close() })
	codec, err := event.NewCodec(append(domain.Events(), written{})...)
	must(t, err)
	w.store = &eventstore.Store{DB: postgres.On(w.calls), Codec: codec, Keys: postgrestest.Keyring(t, w.calls, codec), AtOnce: projections.AtOnce(), Now: clock.System, Appended: w.appended}
	w.found()
	for range p.processes {
		w.processes = append(w.processes, w.start())
	}
	t.Cleanup(func() { w.endAll() })
	return w
}

// found adds a practice to the world, and two applications that receive its webhooks.
func (w *world) found() {
	w.t.Helper()
	ctx, desk := w.t.Context(), w.desk()
	must(w.t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "Elm Street"}))
	must(w.t, desk.EnsureSigningKey(ctx))
	for range 2 {
		id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: "https://app.example/jwks"})
		must(w.t, err)
		must(w.t, desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: application.RecordOpened, URL: w.receiver.address(id.String())}))
		must(w.t, desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id}))
	}
}

func (w *world) desk() commands.Desk {
	return commands.Desk{
		Store: w.store, Patients: projections.Patients{DB: w.calls}, Vault: w.vault(w.calls), Now: clock.System,
		CheckURL: func(string) error { return nil },
	}
}

func (w *world) vault(pool *pgxpool.Pool) signing.Vault {
	return signing.Vault{DB: pool, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3}), Now: clock.System}
}

// live carries out a round: trouble, rest, and then the guarantees.
func (w *world) live(n int) {
	r := w.plan.rounds[n]
	w.failing.Store(int64(r.failing))
	w.receiver.rude.Store(int64(r.rude))
	ctx, cancel := context.WithTimeout(w.t.Context(), r.lasts)
	defer cancel()
	var group sync.WaitGroup
	for i, habit := range r.writers {
		group.Go(func() { w.writer(n, i, habit).writeUntil(ctx) })
	}
	for _, s := range r.strokes {
		group.Go(func() { wait(ctx, s.at); w.strike(w.t.Context(), s) })
	}
	group.Wait()
	w.count("rounds")
	w.rest(n)
	if broken := w.broken(); len(broken) > 0 {
		w.t.Fatal(w.report(n, broken))
	}
}

func (w *world) endAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		p.kill()
	}
}

func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally[what]++
}

// report has everything that is needed to investigate a failure, and to search there again.
func (w *world) report(n int, broken []string) string {
	text := fmt.Sprintf("%s=%d breaks this in round %d:\n", seedVariable, w.plan.seed, n+1)
	for _, b := range broken[:min(len(broken), 20)] {
		text += "\t- " + b + "\n"
	}
	return text + fmt.Sprintf("%d broken in all\n%s\nround %d: %s\nthe sequencer's row: %s\nsessions:\n%s\n",
		len(broken), w.plan, n+1, w.plan.rounds[n], w.row(), ask[string](w.cluster, sessions))
}

const sessions = `
SELECT coalesce(string_agg(format(E'\t%s %s, %s for %s, waits for %s: %s', application_name, pid, state, now() - state_change, wait_event,
	left(regexp_replace(query, '\s+', ' ', 'g'), 100)), E'\n' ORDER BY application_name, pid), '')
FROM pg_stat_activity WHERE usename = 'frontdesk_app' AND state <> 'idle'`

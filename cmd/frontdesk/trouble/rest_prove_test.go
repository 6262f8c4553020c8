//go:build prove

package trouble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/webhooks"
)

// longest is how long a world may take to come to rest, and Postgres to recover. It only ends
// worlds that would fail anyway: most take a second or two.
const longest = 3 * time.Minute

// rest lets a world come to rest after a round: no writer runs, nothing is prepared or
// locked, and all followers have caught up. That it does come to rest is also a guarantee.
func (w *world) rest(n int) {
	w.failing.Store(0)
	w.receiver.rude.Store(0)
	began, last := clock.Start(), w.writer(n, 99, "append")
	w.settleTransactions(last.dice)
	for why := "a last append"; why != ""; why = w.unrest() {
		if began.Elapsed() > longest {
			w.t.Fatal(w.report(n, []string{fmt.Sprintf("no rest within %s: %s", longest, why)}))
		}
		w.tidy(last, began.Elapsed())
		wait(w.t.Context(), 50*time.Millisecond)
	}
}

// tidy helps a world to come to rest.
func (w *world) tidy(last *writer, waited time.Duration) {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	if last.deeds == 0 || ask[string](w.cluster, openGaps) != "" {
		last.append(ctx) // a sequencer looks at its gaps when it places something
	}
	_ = eventstore.NewSequencer(w.calls, &background.Broadcast{}, &background.Broadcast{}, silent).Drain(ctx)
	if waited > 5*time.Second { // longer than anything is being sent
		_ = w.keeper().Keep(ctx)
	}
}

// keeper ends the deliveries whose senders have been killed, without the usual wait.
func (w *world) keeper() webhooks.Keeper {
	now := func() time.Time { return clock.System().Add(time.Minute) }
	return webhooks.Keeper{DB: w.calls, Now: now, RealNow: now, Retention: 24 * time.Hour, Log: silent}
}

// settleTransactions ends the callers' leftovers: statements that Postgres still executes,
// and prepared transactions.
func (w *world) settleTransactions(d *rand.Rand) {
	w.cluster.awake()
	w.wires.cut(false)
	w.looks.Reset()
	for ask[int](w.cluster, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'caller'`) > 0 {
		wait(w.t.Context(), 10*time.Millisecond)
	}
	for _, name := range ask[[]string](w.cluster, `SELECT coalesce(array_agg(gid ORDER BY gid), '{}') FROM pg_prepared_xacts`) {
		left, known := w.ledger.of(name)
		if !known || left.fate != unknown {
			w.t.Errorf("%q is still prepared, and its writer knows it as %s", name, left.fate)
		}
		commit := d.IntN(2) == 0
		w.cluster.must(finishing(name, commit))
		left.fate = refused
		if commit {
			left.fate = acknowledged
		}
		w.ledger.note(left)
		w.count("prepared transactions left behind")
	}
}

// unrest describes unfinished work; "" for none.
func (w *world) unrest() string {
	if gaps := ask[string](w.cluster, openGaps); gaps != "" {
		return gaps
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	head, err := w.log().Head(ctx)
	if err != nil {
		return err.Error()
	}
	for _, consumer := range []string{"steady", "moody", webhooks.FanOutName} {
		const offset = `SELECT coalesce((SELECT idx FROM feed_offsets WHERE consumer = $1), 0)`
		if at := ask[int64](w.cluster, offset, consumer); at != head {
			return fmt.Sprintf("%s is at idx %d of %d", consumer, at, head)
		}
	}
	if n := ask[int](w.cluster, `SELECT count(*) FROM deliveries WHERE status IN ('pending', 'sending')`); n > 0 {
		return fmt.Sprintf("%d deliveries wait, or are under way", n)
	}
	return ""
}

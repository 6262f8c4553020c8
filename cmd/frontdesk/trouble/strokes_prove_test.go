//go:build prove

package trouble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// trouble is a fault that can hit a world at any moment. An error means that it had no
// target: Postgres was down just then, for example.
type trouble struct {
	name   string
	strike func(w *world, ctx context.Context, d *rand.Rand) error
}

// troubles are all of them. One that is listed twice strikes twice as often. A seed picks by
// name, so new names change the plans of all seeds.
var troubles = []trouble{
	{"crash of Postgres", (*world).crash},
	{"crash of Postgres", (*world).crash},
	{"power loss", (*world).losePower},
	{"power loss", (*world).losePower},
	{"kill of a backend", (*world).killBackend},
	{"terminations", (*world).terminate},
	{"cancellations", (*world).cancel},
	{"kill of a process", (*world).killProcess},
	{"kill of a process", (*world).killProcess},
	{"cut of all callers", (*world).cutCallers},
	{"freeze", (*world).freeze},
	{"frozen backend", (*world).freezeBackend},
	{"lock", (*world).lock},
	{"row lock", (*world).lockRow},
	{"stampede", (*world).stampede},
	{"stampede", (*world).stampede},
	{"maintenance", (*world).maintain},
	{"burnt positions", (*world).burn},
}

// strike strikes. It tries again for a while if it finds nothing to strike at.
func (w *world) strike(ctx context.Context, s stroke) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	i := slices.IndexFunc(troubles, func(t trouble) bool { return t.name == s.what })
	var err error
	for range 4 {
		if err = troubles[i].strike(w, ctx, diceOf(s.dice, 0)); err == nil {
			w.count(s.what)
			return
		}
		wait(ctx, 250*time.Millisecond)
	}
	w.count(s.what + " (missed)")
	w.t.Logf("%s after %s missed: %v", s.what, s.at, err)
}

func upTo(d *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(most)))
}

func (w *world) crash(ctx context.Context, d *rand.Rand) error {
	return w.cluster.crash(ctx, upTo(d, time.Second))
}

func (w *world) losePower(ctx context.Context, d *rand.Rand) error {
	return w.cluster.losePower(ctx, upTo(d, time.Second))
}

// ofUs are the backends of the program and of the writers, in some order.
const ofUs = `FROM pg_stat_activity WHERE usename = 'frontdesk_app' ORDER BY md5(pid::text || $1)`

// killBackend kills one backend with SIGKILL. The postmaster then ends all others, and
// starts over.
func (w *world) killBackend(ctx context.Context, d *rand.Rand) error {
	return w.signalBackend(ctx, d, func(pid int) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_ = w.cluster.do(ctx, `SELECT pg_sleep(30)`) // until the postmaster has noticed
	})
}

// freezeBackend stops one backend for a while, with all the locks that it has.
func (w *world) freezeBackend(ctx context.Context, d *rand.Rand) error {
	return w.signalBackend(ctx, d, func(pid int) {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		wait(ctx, upTo(d, time.Second))
		_ = syscall.Kill(pid, syscall.SIGCONT)
	})
}

func (w *world) signalBackend(ctx context.Context, d *rand.Rand, signal func(pid int)) error {
	w.cluster.mu.Lock() // so that the number is still this backend's
	defer w.cluster.mu.Unlock()
	pid, err := w.one(ctx, `SELECT pid `+ofUs+` LIMIT 1`, d.Int64())
	if err == nil {
		signal(pid)
	}
	return err
}

// freeze stops all of Postgres for a while.
func (w *world) freeze(ctx context.Context, d *rand.Rand) error {
	w.cluster.mu.Lock()
	defer w.cluster.mu.Unlock()
	halted := w.cluster.halt(0)
	wait(ctx, upTo(d, time.Second))
	w.cluster.resume(halted)
	return nil
}

func (w *world) terminate(ctx context.Context, d *rand.Rand) error {
	return w.severalTimes(ctx, d, `SELECT pg_terminate_backend(pid) FROM (SELECT pid `+ofUs+` LIMIT 3) them`)
}

func (w *world) cancel(ctx context.Context, d *rand.Rand) error {
	return w.severalTimes(ctx, d, `SELECT pg_cancel_backend(pid) FROM (SELECT pid `+ofUs+` LIMIT 8) them`)
}

func (w *world) severalTimes(ctx context.Context, d *rand.Rand, statement string) error {
	for range 1 + d.IntN(8) {
		if err := w.cluster.do(ctx, statement, fmt.Sprint(d.Int64())); err != nil {
			return err
		}
		wait(ctx, upTo(d, 50*time.Millisecond))
	}
	return nil
}

// killProcess kills a process, and starts another in its place.
func (w *world) killProcess(ctx context.Context, d *rand.Rand) error {
	n := d.IntN(w.plan.processes)
	w.mu.Lock()
	victim := w.processes[n]
	w.processes[n] = nil
	w.mu.Unlock()
	if victim == nil {
		return fmt.Errorf("process %d is dead already", n)
	}
	victim.kill()
	wait(ctx, upTo(d, 300*time.Millisecond))
	next := w.start()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes[n] = next
	return nil
}

func (w *world) cutCallers(context.Context, *rand.Rand) error {
	w.wires.cut(false)
	return nil
}

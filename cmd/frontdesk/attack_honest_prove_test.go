//go:build prove

package main_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/testworld"
)

// The load of the honest callers: a call each tick. In each shift, a member of staff of each
// practice signs in, reads pages and signs out again.
const (
	tick     = 10 * time.Millisecond
	shift    = 6 * time.Second
	patience = 10 * time.Second
)

// honest are all who use the service as it is meant, without a pause.
type honest struct {
	group sync.WaitGroup

	mu      sync.Mutex
	figures *figures // of attempts that begin now; nil while unwatched
}

// honest lets them begin, and returns once the service has warmed up. They end
// with t.
func (in *town) honest(t *testing.T, address string) *honest {
	t.Helper()
	h := &honest{}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() { stop(); h.group.Wait() })
	callers := make([]*caller, len(in.honestly))
	for n, i := range in.honestly {
		signer, err := testworld.Signer("", i.KeyFile)
		if err != nil {
			t.Fatal(err)
		}
		callers[n] = &caller{integrator: i, signer: signer, client: from(&net.TCPAddr{IP: net.IPv4(127, 10, 0, byte(n))}, address, patience)}
	}
	h.group.Go(func() { h.call(ctx, callers) })
	for n, m := range in.staff {
		client := from(&net.TCPAddr{IP: net.IPv4(127, 20, 0, byte(n))}, address, patience)
		h.group.Go(func() {
			h.work(ctx, m, newBrowser(m.Tenant, client), time.Duration(n)*shift/time.Duration(len(in.staff)))
		})
	}
	time.Sleep(warmUp)
	return h
}

// watch returns the results of attempts that began within a duration.
func (h *honest) watch(d time.Duration) *figures {
	f := newFigures()
	h.keep(f)
	time.Sleep(d)
	h.keep(nil)
	f.open.Wait()
	return f
}

func (h *honest) keep(f *figures) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.figures = f
}

// begun is the figures for an attempt that begins now; nil while unwatched.
func (h *honest) begun() *figures {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.figures != nil {
		h.figures.open.Add(1)
	}
	return h.figures
}

// do performs an action that was due at an instant, and records its result.
func (h *honest) do(kind string, due time.Time, what func() error) error {
	f := h.begun()
	if f == nil {
		return what()
	}
	defer f.open.Done()
	err := what()
	f.note(kind, clock.System().Sub(due), err)
	return err
}

// call makes one call after the other at a steady rate, whether or not they are
// answered.
func (h *honest) call(ctx context.Context, callers []*caller) {
	due := clock.System()
	for n := 0; pauseUntil(ctx, due); n++ {
		by, nth, at := callers[n%len(callers)], n/len(callers), due
		h.group.Go(func() { _ = h.do("calls", at, func() error { return by.call(ctx, nth) }) })
		due = due.Add(tick)
	}
}

// work is the day of a member of staff, in shifts. A late member begins the next one at once.
func (h *honest) work(ctx context.Context, m member, b *browser, first time.Duration) {
	for due := clock.System().Add(first); pauseUntil(ctx, due); {
		_ = h.shift(ctx, m, b, due) // it is noted
		due = later(due.Add(shift), clock.System())
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// shift signs in unless they are signed in still, because signing out had failed.
func (h *honest) shift(ctx context.Context, m member, b *browser, due time.Time) error {
	in := false
	err := h.do("pages", due, func() error {
		status, err := b.get(ctx, "/sign-in")
		in = status == http.StatusSeeOther
		return wants(status, err, http.StatusOK, http.StatusSeeOther)
	})
	if err != nil {
		return err
	}
	if !in {
		err = h.send(ctx, "sign-ins", b, "/sign-in", m.signIn())
	}
	for n := 0; n < 4 && err == nil; n++ {
		pauseUntil(ctx, clock.System().Add(shift/10))
		err = h.do("pages", clock.System(), func() error {
			status, err := b.get(ctx, "/authorisations")
			return wants(status, err, http.StatusOK)
		})
	}
	if err != nil {
		return err
	}
	return h.send(ctx, "pages", b, "/sign-out", nil)
}

func (h *honest) send(ctx context.Context, kind string, b *browser, path string, fields url.Values) error {
	return h.do(kind, clock.System(), func() error {
		status, err := b.send(ctx, path, fields)
		return wants(status, err, http.StatusSeeOther)
	})
}

// pauseUntil reports false if ctx has ended before.
func pauseUntil(ctx context.Context, due time.Time) bool {
	timer := time.NewTimer(due.Sub(clock.System()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

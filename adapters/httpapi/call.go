package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
)

// call is what the steps of serving one call share. A call passes these stations,
// and each but the second and the last takes a seat:
//
//  1. a slot of its source: what is its token worth (one query)?
//  2. the wait for the application's keys, and the first judgement
//  3. a seat of the application's for bodies: the input arrives
//  4. a slot of the application's: the second judgement, and the answer is made
//  5. the answer is written: only a long one takes a seat
//
// So nobody holds a slot while we wait for them (D44).
type call struct {
	identity
	holder string    // of the seats: the source and, once it is proven, the application
	begun  time.Time // when it arrived
	judged time.Time // when the rights were asked for that the call is judged by
	line   recordLine
	by     atomic.Pointer[caller] // for the log, where others than the call's own goroutine write, too; nil until the caller is proven

	// Seats that are taken once they are needed.
	texts body.Texts // held until the answer is made
	file  *fair.Seat // held until what was stored is looked after
	long  *fair.Seat // of a long answer, held until it is written

	reread rereading

	making bool // it is the call's turn to make a long answer

	unknown body.Unknown // members of the input that the contract does not know
	again   bool         // the answer was given before

	after []func(context.Context) error // done once the call is answered
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// proven hands the call over to its application.
func (c *call) proven(by access.Caller, seats seats) {
	c.line.Caller = by
	c.by.Store(&caller{by.Tenant, by.Application})
	c.holder = by.Application.String()
	c.texts = body.Texts{Medium: seats.texts.Seat(c.holder), Long: seats.longTexts.Seat(c.holder)}
	c.file, c.long = seats.files.Seat(c.holder), seats.answers.Seat(c.holder)
}

// take takes a seat for the call. Whoever called it gives the seat back.
func (c *call) take(from *fair.Shares) (*fair.Seat, error) {
	seat := from.Seat(c.holder)
	return seat, body.Take(seat)
}

// in does a step of a call in a seat, once it is the holder's turn to ask the
// database, and with the whole limit ahead of it.
func (a *API) in(shares *fair.Shares, r *http.Request, step func(*http.Request) error) error {
	c := callOf(r.Context())
	seat, err := c.take(shares)
	if err != nil {
		return err
	}
	defer seat.Release()
	ctx, cancel := context.WithTimeout(r.Context(), a.Limit)
	defer cancel()
	if err := a.seats.turns.Take(ctx, c.holder); err != nil {
		return err
	}
	defer a.seats.turns.Release(c.holder)
	return step(r.WithContext(ctx))
}

// makeLong takes a seat for a long answer, and waits until it is the application's turn
// to make one, which [API.madeLong] ends.
func (a *API) makeLong(r *http.Request) error {
	c := callOf(r.Context())
	if err := body.Take(c.long); err != nil {
		return err
	}
	err := a.seats.making.Take(r.Context(), c.holder)
	c.making = err == nil
	return err
}

func (a *API) madeLong(r *http.Request) {
	if c := callOf(r.Context()); c.making {
		a.seats.making.Release(c.holder)
		c.making = false
	}
}

// cleared does what the client need not wait for, once the answer is sent.
func (a *API) cleared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		defer func() { c.file.Release(); c.long.Release() }()
		next.ServeHTTP(w, r)
		if len(c.after) == 0 {
			return
		}
		_ = http.NewResponseController(w).Flush() // an error means that the client has gone
		for _, do := range c.after {
			a.clear(r.Context(), do)
		}
	})
}

// clearLimit bounds each of the things that are done after the answer.
const clearLimit = 10 * time.Second

// clear goes on if the client has gone.
func (a *API) clear(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearLimit)
	defer cancel()
	if err := do(ctx); err != nil {
		a.Log.WarnContext(ctx, "call was not cleared away", slog.Any("error", err))
	}
}

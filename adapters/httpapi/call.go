package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
)

// call is the state that the steps of one call share. A call passes these steps. All
// but the second and the last take a permit:
//
//  1. a slot of its source: look the token up (one query)
//  2. wait for the application's keys, then the first check
//  3. a body permit of the application: read the input
//  4. a slot of the application: the second check, then make the answer
//  5. write the answer: only a long one takes a permit
//
// So no call holds a slot while it waits for its client or for keys (D44).
type call struct {
	identity
	holder string    // of the permits: the source and, once it is proven, the application
	begun  time.Time // when it arrived
	judged time.Time // when the rights that it is judged by were read
	line   recordLine
	by     atomic.Pointer[caller] // for the log, which other goroutines write as well; nil until the caller is proven

	// Permits, taken when they are needed.
	texts body.Texts        // held until the answer is made
	file  *admission.Permit // held until the stored files are checked
	long  *admission.Permit // of a long answer, held until it is written

	reread rereading

	making bool // it has its turn to make a long answer

	unknown body.Unknown // members of the input that are not in the contract
	again   bool         // the answer was given before

	tagged bool         // the answer has an entity tag
	shown  []patient.ID // in the answer, and not named by the caller
	things []uuid.UUID  // of the patient who is shown

	after []func(context.Context) error // done once the call is answered
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// proven charges the rest of the call to its application.
func (c *call) proven(by access.Caller, permits permits) {
	c.line.Caller = by
	c.by.Store(&caller{by.Tenant, by.Application})
	c.holder = by.Application.String()
	c.texts = body.Texts{Medium: permits.texts.Permit(c.holder), Long: permits.longTexts.Permit(c.holder)}
	c.file, c.long = permits.files.Permit(c.holder), permits.answers.Permit(c.holder)
}

// take takes a permit for the call. The caller must release it.
func (c *call) take(from *admission.FairSemaphore) (*admission.Permit, error) {
	permit := from.Permit(c.holder)
	return permit, body.Take(permit)
}

// withPermit runs a step of a call with a permit, when it is the holder's turn to query the
// database. The whole time limit starts then.
func (a *API) withPermit(semaphore *admission.FairSemaphore, r *http.Request, step func(*http.Request) error) error {
	c := callOf(r.Context())
	permit, err := c.take(semaphore)
	if err != nil {
		return err
	}
	defer permit.Release()
	ctx, cancel := context.WithTimeout(r.Context(), a.Limit)
	defer cancel()
	if err := a.permits.turns.Take(ctx, c.holder); err != nil {
		return err
	}
	defer a.permits.turns.Release(c.holder)
	return step(r.WithContext(ctx))
}

// makeLong takes a permit for a long answer, and waits for the application's turn to
// make one. [API.madeLong] ends the turn.
func (a *API) makeLong(r *http.Request) error {
	c := callOf(r.Context())
	if err := body.Take(c.long); err != nil {
		return err
	}
	err := a.permits.making.Take(r.Context(), c.holder)
	c.making = err == nil
	return err
}

func (a *API) madeLong(r *http.Request) {
	if c := callOf(r.Context()); c.making {
		a.permits.making.Release(c.holder)
		c.making = false
	}
}

// cleared runs the work that the client need not wait for, after the answer is sent.
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

// clearLimit is the timeout of each task after the answer.
const clearLimit = 10 * time.Second

// clear continues if the client has disconnected.
func (a *API) clear(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearLimit)
	defer cancel()
	if err := do(ctx); err != nil {
		a.Log.WarnContext(ctx, "clean-up after a call failed", slog.Any("error", err))
	}
}

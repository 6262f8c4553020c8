package httpapi

import (
	"cmp"
	"io"
	"net/http"
	"runtime"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// The default limits of a deployment.
const (
	DefaultSlots      = 1024
	DefaultLimit      = time.Minute
	DefaultRate       = 50       // calls a second
	DefaultDailyBytes = 50 << 30 // of bodies
)

// Permits sets how many calls may do each kind of work at once. Each source and each
// application has a share (D43). Zero means the default.
type Permits struct {
	Slots     int // wait for their turn, query the database and make an answer; [DefaultSlots]
	Turns     int // of those with a slot, have their turn; 32
	Bodies    int // read a body, which takes some 50 KiB; 4,096
	Texts     int // hold more than 16 KiB of text, which takes some 300 KiB; 256
	LongTexts int // hold more than 64 KiB of text, which takes some 10 MiB; 16
	Files     int // read a file, which takes some 350 KiB; 256
	Answers   int // make and write an answer of more than 64 KiB, which takes up to 5 MiB, and 25 while it is made; 16
	Rests     int // discard the rest of a body; 1,024
	KeySets   int // read the key set for webhooks; 64
}

// permits are the permits of one API.
type permits struct {
	slots, bodies, texts, longTexts, files, answers, rests, keySets *admission.FairSemaphore

	turns  *admission.FairQueue // of sources and applications
	making *admission.FairQueue // of applications: to make a long answer, which takes 100 ms of one core
}

func (p Permits) build() permits {
	return permits{
		slots:     admission.NewFairSemaphore(cmp.Or(p.Slots, DefaultSlots)),
		bodies:    admission.NewFairSemaphore(cmp.Or(p.Bodies, 4096)),
		texts:     admission.NewFairSemaphore(cmp.Or(p.Texts, 256)),
		longTexts: admission.NewFairSemaphore(cmp.Or(p.LongTexts, 16)),
		files:     admission.NewFairSemaphore(cmp.Or(p.Files, 256)),
		answers:   admission.NewFairSemaphore(cmp.Or(p.Answers, 16)),
		rests:     admission.NewFairSemaphore(cmp.Or(p.Rests, 1024)),
		keySets:   admission.NewFairSemaphore(cmp.Or(p.KeySets, 64)),
		turns:     admission.NewFairQueue(cmp.Or(p.Turns, 32)),
		making:    admission.NewFairQueue(max(1, runtime.GOMAXPROCS(0)/2)), // leaves cores for short answers
	}
}

// register adds the permits as metrics.
func (p permits) register(in *admission.Metrics) {
	in.Semaphores(map[string]*admission.FairSemaphore{
		"slots": p.slots, "bodies": p.bodies, "texts": p.texts, "long-texts": p.longTexts, "files": p.files, "answers": p.answers,
		"rests": p.rests, "key-sets": p.keySets,
	})
	in.Queues(map[string]*admission.FairQueue{"calls": p.turns, "long-answers": p.making})
}

// The refusals of an application that has used up a limit.
var (
	// ErrRateLimited refuses too many calls. A sandbox uses it as well.
	ErrRateLimited  = fault.New(fault.RateLimited, "rate-limited", "The application has made too many calls. Try again later.")
	errTooManyBytes = ErrRateLimited.Worded("The application has sent as many bytes as it may in a day. Try again later.")
)

// unless refuses a caller who has to wait, with the time to wait.
func (a *API) unless(refusal *fault.Error, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return refusal.Until(a.Now().Add(wait))
}

// arriving reads the body of a call with a body permit. Its only time limit is the pace
// of the body. A body that is declared larger than the application may send is refused,
// and not charged.
func (a *API) arriving(read reader) reader {
	return func(r *http.Request, caller access.Caller) (*body.Form, error) {
		declared := int(min(max(0, r.ContentLength), body.MaxBytes))
		if err := a.unless(errTooManyBytes, a.Bytes.Lacks(caller.Application, declared)); err != nil {
			return nil, err
		}
		permit, err := callOf(r.Context()).take(a.permits.bodies)
		if err != nil {
			return nil, err
		}
		defer permit.Release()
		r.Body = &countedBody{r.Body, func(n int) error {
			return a.unless(errTooManyBytes, a.Bytes.Spend(caller.Application, n))
		}}
		return read(r, caller)
	}
}

// countedBody is a body whose bytes are charged as they arrive.
type countedBody struct {
	io.ReadCloser
	pay func(bytes int) error
}

// Read returns an error of the reader or of the budget.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if unpaid := b.pay(n); unpaid != nil {
		return 0, unpaid
	}
	return n, err
}

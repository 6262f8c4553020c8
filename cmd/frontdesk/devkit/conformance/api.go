package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/background"
	"frontdesk/adapters/bearer"
	form "frontdesk/adapters/httpapi/body"
	"frontdesk/domain/event"
)

// imitation is the API as a client sees it: it takes patient requests, and treats each call
// as a check wants.
type imitation struct {
	keys func(context.Context) (bearer.KeySet, error)
	now  func() time.Time
	http *background.Server

	mu       sync.Mutex
	does     func(nth int) treatment
	arrivals []arrival
	made     map[string]uuid.UUID // requests that were made, by Idempotency-Key
	unkeyed  int                  // requests that were made without one
}

// arrival is a call as it arrived.
type arrival struct {
	at      time.Time
	key     string // Idempotency-Key; "" for none
	digest  [sha256.Size]byte
	token   bearer.Token // zero unless it held
	kid     string
	problem string // an error in the call; "" for none
}

func newImitation(ctx context.Context, address string, keys func(context.Context) (bearer.KeySet, error), now func() time.Time) (*imitation, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("imitate the API at %s (is the port taken? choose another): %w", address, err)
	}
	api := &imitation{keys: keys, now: now, does: always(serves)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /transactional-api/create-patient-request", api.serve)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "not-found", "Only create-patient-request is imitated here.")
	})
	api.http = background.Serve(listener, &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second})
	return api, nil
}

func (a *imitation) url() string { return "http://" + a.http.Address() }

func (a *imitation) close() { a.http.Close() }

// begin drops earlier arrivals.
func (a *imitation) begin(does func(int) treatment) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.does, a.arrivals, a.made, a.unkeyed = does, nil, map[string]uuid.UUID{}, 0
}

// seen returns the arrivals, and how many requests were made of them.
func (a *imitation) seen() (arrivals []arrival, made int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.arrivals), len(a.made) + a.unkeyed
}

// maxCall is the most that is read of a call: five attachments of 10 MB in base64.
const maxCall = 80 << 20

func (a *imitation) serve(w http.ResponseWriter, r *http.Request) {
	arrived := arrival{at: a.now(), key: r.Header.Get("Idempotency-Key")}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if err != nil {
		return // the client has gone, and is not judged by half a call
	}
	arrived.digest = sha256.Sum256(body)
	arrived.problem = first(a.proven(r, &arrived), wellFormed(r, body))
	d := a.take(arrived)
	switch {
	case d.cut:
		panic(http.ErrAbortHandler)
	case arrived.problem != "":
		refuse(w, http.StatusForbidden, "unauthorized", arrived.problem)
	case d.status != http.StatusOK:
		if d.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(d.retryAfter))
		}
		refuse(w, d.status, d.code, "This refusal belongs to a check.")
	default:
		a.answer(w, arrived, d)
	}
}

// proven judges the token as the service does.
func (a *imitation) proven(r *http.Request, arrived *arrival) string {
	authorisation := r.Header.Values("Authorization")
	if len(authorisation) > 0 {
		arrived.kid = kidOf(authorisation[0])
	}
	token, err := bearer.Explain(authorisation, func() (bearer.KeySet, error) { return a.keys(r.Context()) }, arrived.at)
	if err != nil {
		return err.Error()
	}
	arrived.token = token
	return ""
}

// wellFormed returns the error in the form of a patient request (§4.1).
func wellFormed(r *http.Request, body []byte) string {
	var request map[string]any // a struct would take names in any case, which the service does not
	if json.Unmarshal(body, &request) != nil {
		return "the body is not the JSON of a patient request"
	}
	for _, name := range []string{"patientId", "requestType", "requester"} {
		if text, _ := request[name].(string); text == "" {
			return "the body lacks " + name
		}
	}
	if items, _ := request["response"].([]any); len(items) == 0 {
		return "the body lacks response"
	}
	if !form.IsJSON(r.Header.Values("Content-Type")) {
		return "the Content-Type is not application/json"
	}
	return ""
}

// take records a call, and returns its treatment. A repeated key makes no second request.
func (a *imitation) take(arrived arrival) treatment {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.does(len(a.arrivals))
	a.arrivals = append(a.arrivals, arrived)
	switch {
	case !d.makes || arrived.problem != "":
	case arrived.key == "":
		a.unkeyed++
	case a.made[arrived.key] == uuid.Nil:
		a.made[arrived.key] = event.NewID()
	}
	return d
}

func (a *imitation) answer(w http.ResponseWriter, arrived arrival, d treatment) {
	a.mu.Lock()
	id, known := a.made[arrived.key]
	a.mu.Unlock()
	if !known {
		id = event.NewID()
	}
	answer := members{"patientRequestId": id}
	if d.answer != nil {
		d.answer(answer)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // an error means that the client has gone
}

func refuse(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", event.NewID().String())
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(members{"errors": []members{{"code": code, "description": description}}})
}

// kidOf reads the kid of a token that may be anything.
func kidOf(authorisation string) string {
	var header struct {
		Kid string `json:"kid"`
	}
	head, _, _ := strings.Cut(authorisation[strings.LastIndexByte(authorisation, ' ')+1:], ".")
	_ = json.Unmarshal(decoded(head), &header) // an unreadable head has no kid
	return header.Kid
}

// treatment is the treatment of a call.
type treatment struct {
	status     int // other than 200: the call is refused or put off
	code       string
	retryAfter int           // seconds; 0 for none
	cut        bool          // the connection ends without an answer
	makes      bool          // the request is made
	answer     func(members) // adds to the answer; may be nil
}

var (
	serves       = treatment{status: http.StatusOK, makes: true}
	isBusy       = treatment{status: http.StatusServiceUnavailable, code: "unavailable", retryAfter: 1}
	isDown       = treatment{status: http.StatusServiceUnavailable, code: "unavailable"}
	limits       = treatment{status: http.StatusTooManyRequests, code: "rate-limited", retryAfter: 1}
	forbids      = treatment{status: http.StatusForbidden, code: "unauthorized"}
	refuses      = treatment{status: http.StatusBadRequest, code: "request-type-disabled"}
	cutsOff      = treatment{cut: true}
	losesAnswer  = treatment{cut: true, makes: true}
	isNewer      = treatment{status: http.StatusOK, makes: true, answer: func(a members) { a["submittedBy"] = members{"channel": "api"} }}
	refusesNewly = treatment{status: http.StatusBadRequest, code: "a-code-of-tomorrow"}
)

// always does the same to every call.
func always(d treatment) func(int) treatment { return func(int) treatment { return d } }

// once applies a treatment to the first call, and serves the others.
func once(d treatment) func(int) treatment {
	return func(nth int) treatment {
		if nth == 0 {
			return d
		}
		return serves
	}
}

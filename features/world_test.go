package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// world is the state of one scenario: people and practices by the names that the
// scenario gives them.
type world struct {
	*program
	ctx          context.Context //nolint:containedctx // of the scenario
	suffix       string          // keeps scenarios' practices apart
	practice     string          // the practice of the last step
	applications map[string]*integrator
	patients     map[string]patient.ID
	usernames    map[string]string    // by staff name
	appointment  appointment.ID       // the one last booked
	things       map[string]uuid.UUID // by their names in scenarios
	token        []bearertest.Edit    // changes of the next token
	forged       bool                 // signed with another key
	sent         sent                 // the last call
	answer       *answer              // to the last call
	answers      []*answer
	files        [][]byte          // last sent
	logged       int64             // head of the log when the scenario began
	shown        string            // the last output for an auditor or an operator
	exit         int               // status of the last command of an operator or auditor
	pack         map[string]string // the files of the one last made
	heard        string            // the last refusal of an auditor's command
	browsers     map[string]*browser
	page         string     // the last page
	seen         url.Values // the last form
	link         string     // the last link that a manager got
	forgetting   forgetting
	unanswered   error // the refusal of the last completion
	handling     handling
	proving      proving
	checkpoint   proof.Checkpoint // that an application has kept
	own          ownShown
}

// integrator is an application with its owner's programs.
type integrator struct {
	bearertest.Application
	keys    *bearertest.Server
	mailbox *mailbox // nil without one
}

// key is the application's public key in its key set.
func (i *integrator) key() string {
	jwk, err := json.Marshal(bearertest.JWK(i.Kid, &i.Key.PublicKey))
	if err != nil {
		panic(err) // of texts
	}
	return string(jwk)
}

func newWorld(p *program) *world {
	p.count++
	drained := p.Drain(p.t.Context()) // events of earlier scenarios
	head, err := p.Log.Head(p.t.Context())
	if err := errors.Join(drained, err); err != nil {
		p.t.Fatal(err)
	}
	return &world{
		program: p, suffix: fmt.Sprintf("-%d", p.count), logged: head,
		ctx: event.WithMetadata(p.t.Context(), event.Metadata{
			Actor: event.Operator("features", ""),
		}),
		applications: map[string]*integrator{}, patients: map[string]patient.ID{}, usernames: map[string]string{},
		things: map[string]uuid.UUID{}, browsers: map[string]*browser{},
	}
}

func (w *world) end() {
	if undo := w.proving.undo; undo != nil {
		if err := undo(); err != nil {
			w.t.Errorf("put the log back: %v", err)
		}
	}
	for _, app := range w.applications {
		app.keys.Close()
		if app.mailbox != nil {
			app.mailbox.server.Close()
		}
	}
}

var notLabel = regexp.MustCompile(`[^a-z0-9]+`)

// tenant is the tenant identifier of a practice, by its name.
func (w *world) tenant(practice string) string {
	return notLabel.ReplaceAllString(strings.ToLower(practice), "-") + w.suffix
}

func (w *world) application(name string) (*integrator, error) {
	app, ok := w.applications[name]
	if !ok {
		return nil, fmt.Errorf("no application %q in this scenario", name)
	}
	return app, nil
}

// placeholders are a scenario's names for generated identifiers: <Ann Archer> is that
// patient's.
func (w *world) filled(text string) string {
	for name, id := range w.patients {
		text = strings.ReplaceAll(text, "<"+name+">", id.String())
	}
	for name, id := range w.things {
		text = strings.ReplaceAll(text, "<"+name+">", id.String())
	}
	for name, app := range w.applications {
		text = strings.ReplaceAll(text, "<"+name+">", app.ID.String())
		text = strings.ReplaceAll(text, "<keys of "+name+">", app.keys.URL)
		text = strings.ReplaceAll(text, "<key of "+name+">", app.key())
		if app.mailbox != nil {
			text = strings.ReplaceAll(text, "<receiver of "+name+">", app.mailbox.server.URL())
		}
	}
	text = strings.ReplaceAll(text, "<tenant>", w.tenant(w.practice))
	text = strings.ReplaceAll(text, "<appointment>", w.appointment.String())
	return letters.ReplaceAllStringFunc(text, func(placeholder string) string {
		n, _ := strconv.Atoi(letters.FindStringSubmatch(placeholder)[1])
		return strings.Repeat("x", n)
	})
}

// letters is a scenario's placeholder for a long text.
var letters = regexp.MustCompile(`<(\d+) letters>`)

const stepLimit = time.Minute // on a busy machine

// eventually retries until it succeeds: read models, the access record, prover and
// signer work after the answers. It returns the last error.
func eventually(try func() error) (err error) {
	for watch := clock.Start(); watch.Elapsed() < stepLimit; time.Sleep(5 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

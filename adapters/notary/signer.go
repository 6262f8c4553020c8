package notary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/background"
	"frontdesk/domain/proof"
)

// Signer signs the trees of a database. One goroutine at a time calls Run or Round.
type Signer struct {
	Key       Key
	Dir       Dir // stores the signed state
	Sources   map[proof.Kind]Source
	Publisher Publisher
	Hashes    Hashes     // for proofs to witnesses; nil without witnesses
	Witnesses []*Witness // cosign checkpoints
	Metrics   *Metrics   // nil: not measured
	Log       *slog.Logger
	Now       func() time.Time

	Every       time.Duration                       // from one round to the next; 0 is 10 s
	RereadEvery time.Duration                       // the mean wait before all leaves are read again; 0 is an hour
	Random      func(n time.Duration) time.Duration // a random duration below n; nil is one that no one can predict
	VerifyAll   bool                                // read all leaves again before anything is signed
	Adopt       bool                                // continue from published notes if the state is lost
	ChangeKey   bool                                // sign with another key than before
	AcceptEpoch int                                 // the epoch before which the past may have changed, and whose loss an operator has looked at

	m          memory
	saved      map[proof.Kind]int // the epoch of each log on disk
	unsaved    bool
	named      map[proof.Tree]proof.Checkpoint // the published ones by this key
	stopped    map[proof.Kind]*stop
	heads      map[proof.Tree]*head
	reading    reading
	lastLogged map[string]time.Time
}

// kinds is the order in which the logs are read: events first, because they determine
// the epoch.
var kinds = []proof.Kind{proof.Events, proof.Access}

const (
	everyRound  = 10 * time.Second
	rereadEvery = time.Hour
	logAgain    = time.Hour
	lookLimit   = 15 * time.Second
	pageLimit   = time.Minute
	publishing  = 30 * time.Second
	witnessing  = 5 * time.Second // of each round, so that notes are not delayed
	saveEvery   = 100_000         // leaves
	tryAgainAll = 10 * time.Minute
)

// Run signs until ctx ends. Call Begin first.
func (s *Signer) Run(ctx context.Context) {
	s.Log.InfoContext(ctx, "signing", slog.String("verifier_key", s.Key.Verifier))
	defer s.reading.running.Wait()
	every := s.Every
	if every <= 0 {
		every = everyRound
	}
	background.Loop{Every: every, Do: func(ctx context.Context) error {
		s.logProblems(ctx, s.Round(ctx)) // it logs the same problem only once an hour
		return nil
	}}.Run(ctx)
}

// Begin must be called first. It reads the state, and refuses one that does not match
// the key or the published notes.
func (s *Signer) Begin(ctx context.Context) error {
	if s.Random == nil {
		s.Random = unpredictable
	}
	s.stopped, s.heads, s.lastLogged = map[proof.Kind]*stop{}, map[proof.Tree]*head{}, map[string]time.Time{}
	m, err := load(s.Dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, publishing)
	defer cancel()
	if err := s.readPublished(ctx); err != nil {
		return err
	}
	switch {
	case m == nil && len(s.named) > 0 && !s.Adopt:
		return errStateLost
	case m == nil:
		m = &memory{Form: form, Key: s.Key.Verifier, Log: s.systemLog(), Verified: s.Now(), Logs: map[proof.Kind]*progress{}}
	case m.Log != s.systemLog():
		return errOtherSalt
	case m.Key != s.Key.Verifier && !s.ChangeKey:
		return fmt.Errorf("the state is of another key, %s: name its file, or give --change-key if this one takes its place", m.Key)
	}
	s.m, s.saved = *m, map[proof.Kind]int{}
	s.m.Key = s.Key.Verifier
	if s.AcceptEpoch > 0 && s.AcceptEpoch == s.m.Unacknowledged {
		s.m.Unacknowledged, s.unsaved = 0, true
	}
	for kind, p := range s.m.Logs {
		s.saved[kind] = p.Epoch
		p.Suspect = p.Suspect || s.VerifyAll
	}
	return s.sameLogs()
}

// The errors of Begin.
var (
	errStateLost = errors.New("this folder remembers nothing, and the database has checkpoints of a signer: name its folder, or put its backup there. " +
		"If it is lost, --adopt continues from the checkpoints; nothing then protects what was signed after them")
	errOtherLog = errors.New("the database has checkpoints that this key has signed for other logs: they have another salt. " +
		"Give the key file with that salt, or find out who else has the key")
	errOtherSalt = errors.New("this folder is of logs with another salt: give its key file, or make the key with --like")
)

// sameLogs refuses a salt by which the logs have other identifiers than the published ones.
func (s *Signer) sameLogs() error {
	for tree, c := range s.named {
		if c.Origin.Log != s.Key.Salt.Log(tree) {
			return errOtherLog
		}
	}
	return nil
}

// systemLog is the identifier of the log of events that belong to no practice.
func (s *Signer) systemLog() uuid.UUID {
	return s.Key.Salt.Log(proof.Tree{Kind: proof.Events})
}

// Round reads new leaves, signs, has the checkpoints witnessed, and publishes them. It
// returns the problems; unaffected trees are done.
func (s *Signer) Round(ctx context.Context) (problems []error) {
	defer func() { s.measure(problems) }()
	s.noteReading()
	note := func(err error) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	for _, kind := range kinds {
		if source := s.Sources[kind]; source != nil {
			note(s.follow(ctx, kind, source))
		}
	}
	problems = append(problems, s.refusals()...)
	if err := s.save(); err != nil {
		return append(problems, err) // only the state on disk is signed
	}
	note(s.sign())
	problems = append(problems, s.askWitnesses(ctx)...)
	note(s.publish(ctx))
	s.reread(ctx)
	return problems
}

// save writes the state to disk. It keeps the state of an earlier epoch next to it.
func (s *Signer) save() error {
	if !s.unsaved {
		return nil
	}
	for _, kind := range kinds {
		p := s.m.Logs[kind]
		if p == nil {
			continue
		}
		if was := s.saved[kind]; was != 0 && was != p.Epoch {
			if err := keep(s.Dir, fmt.Sprintf("%s.%d.epoch-%d", stateName, kind, was)); err != nil {
				return err
			}
		}
		p.drop()
	}
	if err := s.m.save(s.Dir); err != nil {
		return err
	}
	for kind, p := range s.m.Logs {
		s.saved[kind] = p.Epoch
	}
	s.unsaved = false
	return nil
}

// refusals is an alarm for each tree that is no longer signed.
func (s *Signer) refusals() (all []error) {
	for _, kind := range kinds {
		p := s.m.Logs[kind]
		if p == nil {
			continue
		}
		for _, tenant := range slices.Sorted(maps.Keys(p.refused())) {
			all = append(all, Alarm(named(kind, tenant)+" not as it was signed, so it is no longer signed: find out what has changed with frontdesk audit verify"))
		}
	}
	return all
}

func named(kind proof.Kind, tenant string) string {
	what := "the log"
	if kind == proof.Access {
		what = "the access record"
	}
	if tenant == "" {
		return what + " of what belongs to no practice is"
	}
	return what + " of practice " + tenant + " is"
}

package notary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/domain/proof"
)

// askWitnesses asks each witness for the missing cosignatures, all concurrently. One
// that is unavailable is skipped until the next round.
func (s *Signer) askWitnesses(ctx context.Context) (problems []error) {
	ctx, cancel := context.WithTimeout(ctx, witnessing)
	defer cancel()
	answers := make([]answers, len(s.Witnesses))
	var asking sync.WaitGroup
	for n, w := range s.Witnesses {
		waiting := s.uncosigned(w)
		asking.Go(func() { answers[n] = s.ask(ctx, w, waiting) })
	}
	asking.Wait()
	for n, a := range answers {
		problems = append(problems, a.failed...)
		if w := s.Witnesses[n]; w.fewer > 0 {
			problems = append(problems, fmt.Errorf("witness %s has forgotten what it had cosigned of %d logs: its folder was set back, and it may now cosign another history. "+
				"Ask its operator for a witness with another key", w.URL, w.fewer))
			s.Metrics.forgot(w)
			w.fewer = 0
		}
		for tree, lines := range a.lines {
			h := s.heads[tree]
			h.cosigned[s.Witnesses[n]], h.published = lines, false
		}
	}
	return problems
}

// answers are the answers of a witness in a round.
type answers struct {
	lines  map[proof.Tree][]byte
	failed []error
}

// uncosigned returns what a witness has not cosigned, the longest unanswered first: a
// slow witness does not finish all of them in a round, and the first ones have grown by
// the next.
func (s *Signer) uncosigned(w *Witness) []*head {
	var waiting []*head
	for _, h := range s.heads {
		if h.cosigned[w] == nil {
			waiting = append(waiting, h)
		}
	}
	slices.SortFunc(waiting, func(a, b *head) int {
		return cmp.Or(cmp.Compare(w.answered[a.tree], w.answered[b.tree]), cmp.Compare(a.tree.Kind, b.tree.Kind), cmp.Compare(a.tree.Tenant, b.tree.Tenant))
	})
	return waiting
}

const (
	provePasses = 10                     // over proofs that are not possible yet, because the prover is behind the log
	provePause  = 300 * time.Millisecond // before each of them
)

func (s *Signer) ask(ctx context.Context, w *Witness, waiting []*head) answers {
	a := answers{lines: map[proof.Tree][]byte{}}
	for pass := 1; ; pass++ {
		behind, err := s.askEach(ctx, w, waiting, &a)
		if err != nil {
			a.failed = append(a.failed, err)
			return a
		}
		if len(behind) == 0 {
			return a
		}
		if pass == provePasses || !background.Sleep(ctx, provePause) {
			a.failed = append(a.failed, fmt.Errorf("witness %s: %w", w.URL, errBehind))
			return a
		}
		waiting = behind
	}
}

// askEach asks once for each head, and returns those that cannot be proved yet. After
// an error it is pointless to ask for the others.
func (s *Signer) askEach(ctx context.Context, w *Witness, waiting []*head, a *answers) (behind []*head, err error) {
	for _, h := range waiting {
		lines, err := w.cosign(ctx, h, s.Hashes(ctx, h.tree))
		if !errors.Is(err, errAway) && ctx.Err() == nil {
			w.turn++
			w.answered[h.tree] = w.turn
		}
		switch {
		case err == nil:
			a.lines[h.tree] = lines
		case errors.Is(err, errBehind):
			behind = append(behind, h)
		case isAlarm(err):
			a.failed = append(a.failed, err)
		case errors.Is(err, errAway), ctx.Err() != nil:
			return nil, fmt.Errorf("witness %s is away: checkpoints wait for it: %w", w.URL, err)
		default:
			a.failed = append(a.failed, fmt.Errorf("witness %s: %w", w.URL, err))
		}
	}
	return behind, nil
}

package features_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/cucumber/godog"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// checkpointSteps are about checkpoints that applications and practices keep.
func (w *world) checkpointSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" keeps the checkpoint$`, w.appKeepsCheckpoint)
	sc.Step(`^"([^"]*)" asks for a proof from (\S+)$`, func(name, size string) error {
		return w.calls(name, http.MethodGet, checkpointPath+"?from="+size)
	})
	sc.Step(`^the log that "([^"]*)" is shown has grown from the kept checkpoint$`, w.hasGrown)
	sc.Step(`^the log that "([^"]*)" is shown is another one$`, w.isOtherLog)
}

const checkpointPath = "/transactional-api/application/checkpoint"

// checkpointFor is the checkpoint in the last answer. Its signature has been verified.
func (w *world) checkpointFor(name, query string) (c proof.Checkpoint, growth tlog.TreeProof, err error) {
	err = eventually(func() error { // the signer may be ahead of the trees
		if err := w.calls(name, http.MethodGet, checkpointPath+query); err != nil || w.answer.status != http.StatusServiceUnavailable {
			return err
		}
		return errors.New("the proof is not ready")
	})
	if err != nil {
		return c, nil, err
	}
	var answer struct {
		Checkpoint  string
		Epoch       int
		Size        int64
		Consistency []string
	}
	if err := json.Unmarshal(w.answer.body, &answer); err != nil {
		return c, nil, err
	}
	policy, err := proof.NewPolicy(w.logKey.Verifier, nil, 0)
	if err != nil {
		return c, nil, err
	}
	if c, err = policy.Open([]byte(answer.Checkpoint)); err != nil {
		return c, nil, fmt.Errorf("%w: %s", err, w.answer.body)
	}
	if answer.Size != c.Size || answer.Epoch != c.Origin.Epoch || (answer.Consistency == nil) != (query == "") {
		return c, nil, fmt.Errorf("the answer is %s", w.answer.body)
	}
	for _, text := range answer.Consistency {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return c, nil, err
		}
		growth = append(growth, hash)
	}
	return c, growth, nil
}

func (w *world) appKeepsCheckpoint(name string) (err error) {
	w.checkpoint, _, err = w.checkpointFor(name, "")
	return err
}

func (w *world) hasGrown(name string) error {
	newest, growth, err := w.checkpointFor(name, fmt.Sprintf("?from=%d", w.checkpoint.Size))
	if err != nil {
		return err
	}
	if newest.Size <= w.checkpoint.Size {
		return fmt.Errorf("the log has %d events, and had %d", newest.Size, w.checkpoint.Size)
	}
	return proof.Consistency{Old: w.checkpoint.Size, Proof: growth}.Check(w.checkpoint.Root, newest)
}

func (w *world) isOtherLog(name string) error {
	other, _, err := w.checkpointFor(name, "")
	if err == nil && (other.Origin.Log == w.checkpoint.Origin.Log || other.Root == w.checkpoint.Root) {
		err = errors.New("it is the same log")
	}
	return err
}

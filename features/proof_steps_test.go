package features_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/proof"
)

// proving is an auditor's evidence of the practice's log, as names of files.
type proving struct {
	folder string
	kept   string // a checkpoint
	made   []string
	forged string       // a checkpoint that the operator never signed
	undo   func() error // reverts the change of the database
}

// proofSteps are about proofs to a verifier without any trust.
func (w *world) proofSteps(sc *godog.ScenarioContext) {
	sc.Step(`^an auditor has kept a checkpoint of the practice's log$`, w.keepsCheckpoint)
	sc.Step(`^the newest checkpoint covers the practice's log$`, func() error { _, err := w.newestCheckpoint(); return err })
	sc.Step(`^the auditor exports the practice's log with its proof$`, w.exportsWithProof)
	sc.Step(`^it is all that was signed, and begins with what the auditor has kept$`, w.isProved)
	sc.Step(`^the export of before is all that was signed$`, w.isProved)
	sc.Step(`^it begins with the lines of the export of before$`, w.beginsAsBefore)
	sc.Step(`^a proof that shows no event says that the log begins so$`, w.provesGrowth)
	sc.Step(`^the last "([^"]*)" is proved by itself$`, w.provesLast)
	sc.Step(`^the export (does not hold|holds) "([^"]*)"$`, w.exportHolds)
	sc.Step(`^somebody with every right over the database does this: .*$`, w.attacks)
	sc.Step(`^the auditor finds that the database is not what was signed$`, w.findsAttack)
	sc.Step(`^somebody alters the export and signs it with the stolen key$`, w.forks)
	sc.Step(`^it is believed by those who have kept nothing$`, w.isBelieved)
	sc.Step(`^whoever has kept a checkpoint is told "([^"]*)"$`, w.isRefuted)
}

// keepsCheckpoint keeps the newest checkpoint for an auditor.
func (w *world) keepsCheckpoint() error {
	w.proving.folder = w.t.TempDir()
	signed, err := w.newestCheckpoint()
	if err != nil {
		return err
	}
	w.proving.kept, err = w.file("kept.note", signed)
	return err
}

func (w *world) file(name, text string) (string, error) {
	name = filepath.Join(w.proving.folder, name)
	return name, os.WriteFile(name, []byte(text), 0o600)
}

// newestCheckpoint returns the note of a checkpoint that covers all of the practice's
// events, once there is one.
func (w *world) newestCheckpoint() (signed string, err error) {
	if err := w.sign(); err != nil {
		return "", err
	}
	if _, err := w.audit(w.auditor(), "log", "--json", "--tenant", w.tenant(w.practice)); err != nil {
		return "", err
	}
	size := int64(strings.Count(w.shown, "\n"))
	err = eventually(func() error {
		if _, err := w.audit(w.auditor(), "checkpoint", "--tenant", w.tenant(w.practice)); err != nil {
			return err
		}
		signed = w.shown
		c, err := proof.ParseNote([]byte(signed))
		if err == nil && c.Size < size {
			err = fmt.Errorf("it is of %d events, and there are %d", c.Size, size)
		}
		return err
	})
	return signed, err
}

// sign starts the signer of the program, which runs until the feature ends.
func (p *program) sign() error {
	if p.logKey.Verifier != "" {
		return nil
	}
	private, err := notary.MakeKey(testworld.APIDomain, proof.Salt{1})
	if err != nil {
		return err
	}
	if p.logKey, err = notary.ParseKey(private); err != nil {
		return err
	}
	p.Run(app.Sign{Now: clock.System,
		DatabaseURL: asRole(p.DB.URL, postgres.SignerRole), Key: p.logKey, Dir: p.t.TempDir(), Every: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	}.Run)
	return nil
}

// exportsWithProof keeps the file as the last that was made.
func (w *world) exportsWithProof() error {
	if _, err := w.newestCheckpoint(); err != nil {
		return err
	}
	name := filepath.Join(w.proving.folder, fmt.Sprintf("%d.ndjson", len(w.proving.made)))
	w.proving.made = append(w.proving.made, name)
	return w.auditsInTime("export", "--proof", "--out", name)
}

// auditsInTime runs an auditor's command at the practice. Each run is in the log
// itself, so the trees may be behind for a moment.
func (w *world) auditsInTime(what string, args ...string) error {
	return eventually(func() error {
		_, err := w.audit(w.auditor(), append([]string{what, "--tenant", w.tenant(w.practice)}, args...)...)
		return err
	})
}

func (w *world) export() string { return w.proving.made[len(w.proving.made)-1] }

// verifies checks a file on an auditor's own machine.
func (w *world) verifies(args ...string) error {
	var out, said bytes.Buffer
	status := cli.Main(w.ctx, append([]string{"audit", "verify", "--key", w.logKey.Verifier}, args...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
	w.shown = out.String()
	if status != 0 {
		return errors.New(out.String() + said.String())
	}
	return nil
}

func (w *world) isProved() error {
	return w.verifies("--in", w.export(), "--since", w.proving.kept)
}

func (w *world) beginsAsBefore() error {
	before, err := os.ReadFile(w.proving.made[0])
	if err != nil {
		return err
	}
	now, err := os.ReadFile(w.export())
	if err == nil && (len(now) <= len(before) || !bytes.HasPrefix(now, before)) {
		err = errors.New("it begins with something else")
	}
	return err
}

func (w *world) provesGrowth() error {
	if err := w.auditsInTime("prove", "--since", w.proving.kept); err != nil {
		return err
	}
	name, err := w.file("grown.proof", w.shown)
	if err != nil {
		return err
	}
	return w.verifies("--in", name, "--since", w.proving.kept)
}

func (w *world) provesLast(name string) error {
	e, err := w.last(name)
	if err != nil {
		return err
	}
	if err := w.auditsInTime("prove", "--idx", strconv.FormatInt(e.Idx, 10)); err != nil {
		return err
	}
	file, err := w.file("one.tlog-proof", w.shown)
	if err != nil {
		return err
	}
	return w.verifies("--in", file)
}

func (w *world) exportHolds(holds, text string) error {
	made, err := os.ReadFile(w.export())
	if err == nil && strings.Contains(string(made), w.filled(text)) != (holds == "holds") {
		err = fmt.Errorf("it %s it not", holds)
	}
	return err
}

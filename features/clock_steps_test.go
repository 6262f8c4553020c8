package features_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/signingkey"
)

func (w *world) clockSteps(sc *godog.ScenarioContext) {
	var staged signingkey.KID
	activate := func() error {
		return w.Desk.ActivateSigningKey(w.ctx, commands.ActivateSigningKey{KID: staged})
	}
	sc.Step(`^the practice's clock is moved on by (\S+)$`, w.moveOn)
	sc.Step(`^the practice's clock is moved to (\S+)$`, w.moveTo)
	sc.Step(`^an operator stages another signing key$`, func() (err error) {
		staged, err = w.Desk.StageSigningKey(w.ctx)
		return err
	})
	sc.Step(`^it cannot be activated yet$`, func() error {
		if err := activate(); !errors.Is(err, signingkey.ErrTooYoung) {
			return fmt.Errorf("it is not too young: %w", err)
		}
		return nil
	})
	sc.Step(`^it can be activated$`, activate)
}

func (w *world) moveOn(text string) error {
	by, err := time.ParseDuration(text)
	w.ahead.Add(int64(by))
	return err
}

// moveTo moves the clock to an instant that it has not passed.
func (w *world) moveTo(text string) error {
	to, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return err
	}
	if to.Before(w.now()) {
		return fmt.Errorf("the clock shows %s already", w.now())
	}
	w.ahead.Add(int64(to.Sub(w.now())))
	return nil
}

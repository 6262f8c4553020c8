package term

import (
	"context"
	"encoding/json"
	"fmt"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// TakingFlags are the flags of a command that takes something away.
type TakingFlags struct {
	DryRun bool `env:"-" help:"Print the events that the command would append, and append none."`
	Yes    bool `env:"-" help:"Do not ask at a terminal."`
}

// Taking is an intent that takes something away.
type Taking[T any] struct {
	Tenant  string // "" if it is about no practice
	Follows string // the consequence, in a sentence
	// Warning adds a sentence that depends on the state of the practice; nil adds none.
	Warning func(context.Context, *app.Engine) (string, error)
	Intent  func(commands.Desk, context.Context, T) error
	Given   T
}

// TakeAway gives the desk an intent that takes something away. At a terminal it names the
// consequences and asks first. A script is not asked. A dry run prints the events and ends.
func TakeAway[T any](r *Run, f EngineFlags, t TakingFlags, of Taking[T]) error {
	if t.DryRun || r.AtTerminal() && !t.Yes {
		names, follows, err := rehearse(r, f, of)
		if err != nil {
			return err
		}
		if t.DryRun {
			return f.printRehearsal(r, names)
		}
		if len(names) > 0 {
			if err := r.Confirm(follows, "Continue?"); err != nil {
				return err
			}
		}
	}
	return Change(r, f, of.Tenant, of.Intent, of.Given)
}

// rehearse returns the names of the events that an intent would append, and its consequences.
func rehearse[T any](r *Run, f EngineFlags, of Taking[T]) (names []string, follows string, err error) {
	follows, names = of.Follows, []string{}
	_, _, err = f.do(r, app.Config{}, of.Tenant, func(ctx context.Context, engine *app.Engine, desk commands.Desk) (Made, error) {
		rehearsal := &commands.Rehearsal{Store: desk.Store}
		desk.Store = rehearsal
		if err := of.Intent(desk, ctx, of.Given); err != nil {
			return nil, err
		}
		for _, e := range rehearsal.Events() {
			names = append(names, e.EventName())
		}
		if of.Warning == nil {
			return nil, nil
		}
		warning, err := of.Warning(ctx, engine)
		if warning != "" {
			follows += " " + warning
		}
		return nil, err
	})
	return names, follows, err
}

// printRehearsal prints the names of the events of a dry run.
func (f EngineFlags) printRehearsal(r *Run, names []string) error {
	if f.JSON {
		return json.NewEncoder(r.Out).Encode(Made{"wouldAppend": names})
	}
	for _, name := range names {
		fmt.Fprintf(r.Out, "would append %s\n", name)
	}
	if len(names) == 0 {
		fmt.Fprintln(r.Out, "nothing to change")
	}
	return nil
}

package service

import (
	"fmt"
	"slices"
	"time"

	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

type keysRetireCmd struct {
	term.EngineFlags    `embed:""`
	term.MasterKeyFlags `embed:""` // not needed; given to all keys commands alike
	keyFlags            `embed:""`
	Yes                 bool `env:"-" help:"Do not ask before the key that signs stops signing."`
}

// Run retires the key. As long as no other key is activated, the one that signs is the
// only one, so it asks first.
func (c *keysRetireCmd) Run(r *term.Run) error {
	kid, err := c.kid()
	if err != nil {
		return err
	}
	keys, err := listed(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	if signs(keys) == kid && !c.Yes {
		if err := r.Confirm(ifRetired(kid, keys), "Retire it?"); err != nil {
			return err
		}
	}
	return term.Change(r, c.EngineFlags, "", commands.Desk.RetireSigningKey, commands.RetireSigningKey{KID: kid})
}

// listed returns all keys.
func listed(r *term.Run, f term.DatabaseFlag) ([]projections.SigningKey, error) {
	engine, err := f.Open(r)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	return engine.SigningKeys().All(r.Context)
}

// signs names the key that signs; "" if none does.
func signs(keys []projections.SigningKey) signingkey.KID {
	for _, k := range keys {
		if k.State == signingkey.StateActive {
			return k.KID
		}
	}
	return ""
}

// ifRetired describes the consequence of retiring the key that signs, and the alternative.
func ifRetired(kid signingkey.KID, keys []projections.SigningKey) string {
	instead := "To replace it in order, stage another key first."
	staged := slices.IndexFunc(keys, func(k projections.SigningKey) bool { return k.State == signingkey.StateStaged })
	if staged >= 0 {
		s := steps(keys[staged], kid)
		instead = fmt.Sprintf("To replace it in order, activate %s, from %s.", keys[staged].KID, s.activate.Format(time.RFC3339))
	}
	return fmt.Sprintf("%s is the only key that signs. Once it is retired its private half is destroyed, and no webhook is signed or sent until another key is activated; "+
		"webhooks that grow too old in the meantime are never sent. %s", kid, instead)
}

// possible holds the instants from which each step of a key is allowed. A zero time is never.
type possible struct{ activate, retire time.Time }

// steps returns the steps that package signingkey allows for a key, while the named key
// signs; "" for none.
func steps(k projections.SigningKey, signs signingkey.KID) possible {
	since := k.Since.UTC()
	switch {
	case k.State == signingkey.StateStaged && signs == "":
		return possible{activate: since, retire: since}
	case k.State == signingkey.StateStaged:
		return possible{activate: since.Add(signingkey.StagedFor), retire: since}
	case k.State == signingkey.StateActive:
		return possible{retire: since}
	case k.State == signingkey.StateRetiring:
		return possible{retire: since.Add(signingkey.RetiringFor)}
	}
	return possible{}
}

// next describes the same for people.
func next(k projections.SigningKey, signs signingkey.KID) string {
	s := steps(k, signs)
	switch {
	case k.State == signingkey.StateStaged && signs == "":
		return "activate it at once, because no key signs"
	case k.State == signingkey.StateStaged:
		return "activate it, from " + s.activate.Format(time.RFC3339) + "; to drop it, retire it at any time"
	case k.State == signingkey.StateActive:
		return "activate another in its place; to retire it stops all webhooks"
	case k.State == signingkey.StateRetiring:
		return "retire it, from " + s.retire.Format(time.RFC3339)
	}
	return ""
}

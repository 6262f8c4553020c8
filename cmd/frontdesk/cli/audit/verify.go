package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"frontdesk/adapters/postgres/verification"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

type auditVerifyCmd struct {
	trustFlags   `embed:""`
	fileFlags    `embed:""`
	archiveFlags `embed:""`
	liveFlags    `embed:""`
	JSON         bool `name:"json" help:"Print one JSON object."`
}

// trustFlags name the trusted keys and the checkpoints that were kept. The environment is
// not read for them: a variable that is exported for a signer would change the verdict.
type trustFlags struct {
	Key        string   `env:"-" placeholder:"VKEY" help:"The service's verifier key, which signs checkpoints."`
	WitnessKey []string `env:"-" placeholder:"VKEY" help:"A witness's verifier key; may be repeated."`
	Witnesses  *int     `env:"-" placeholder:"N" help:"How many of these witnesses must have cosigned a checkpoint; without it, all of them."`
	Salt       string   `env:"-" placeholder:"SALT" help:"The salt of the service's logs. Then a log counts only if it is the one of its practice."`
	Since      []string `env:"-" placeholder:"FILE" help:"A checkpoint that you have kept; may be repeated."`
}

// Run verifies and prints a report.
func (c *auditVerifyCmd) Run(r *term.Run) error {
	switch {
	case c.In != "":
		return c.file(r)
	case len(c.Archive) > 0:
		return c.archive(r)
	}
	return c.live(r)
}

var errSinceWithoutKey = fault.New(fault.Invalid, "key-missing", "--since, --witness-key and --witnesses need --key: without it, anyone could have written a checkpoint.")

// policy returns the trusted keys, and nil if no key is given.
func (f trustFlags) policy() (*proof.Policy, error) {
	if f.Key == "" {
		if len(f.Since)+len(f.WitnessKey) > 0 || f.Witnesses != nil {
			return nil, errSinceWithoutKey
		}
		return nil, nil //nolint:nilnil // no key is trusted
	}
	need := len(f.WitnessKey)
	if f.Witnesses != nil {
		need = *f.Witnesses
	}
	policy, err := proof.NewPolicy(f.Key, f.WitnessKey, need)
	return &policy, err
}

// trusted returns the trusted keys and the checkpoints that were kept.
func (f trustFlags) trusted() (*proof.Policy, []verification.Kept, error) {
	policy, err := f.policy()
	if err != nil {
		return nil, nil, err
	}
	kept, err := f.kept(policy)
	return policy, kept, err
}

// salt returns the salt of the logs; nil if it is not given.
func (f trustFlags) salt() (*proof.Salt, error) {
	if f.Salt == "" {
		return nil, nil //nolint:nilnil // it need not be given
	}
	salt, err := proof.ParseSalt(f.Salt)
	return &salt, err
}

// kept reads the checkpoints that were kept. Who has kept one has seen it themselves, so
// no witness is needed.
func (f trustFlags) kept(policy *proof.Policy) (all []verification.Kept, err error) {
	if len(f.Since) == 0 {
		return nil, nil
	}
	own := proof.Policy{Key: policy.Key, Witnesses: policy.Witnesses}
	for _, name := range f.Since {
		signed, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, term.Cause(err))
		}
		c, err := own.Open(signed)
		if refused, ok := errors.AsType[*fault.Error](err); ok {
			return nil, refused.With("%s: %s", filepath.Base(name), refused.Detail)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, verification.Kept{Name: filepath.Base(name), Checkpoint: c})
	}
	return all, nil
}

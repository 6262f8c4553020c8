package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// The environment is often exported for other commands. The command line wins over it, and
// it names another service only if it is complete.
func TestEnvironmentDoesNotLeadAwayFromSandbox_D57(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "JWKS_URL", "JWKS"} {
		t.Setenv("FRONTDESK_"+name, "postgres://the.other.example/")
	}
	dir, token := t.TempDir(), "a.b.c"
	sandbox := "no sandbox runs in " + dir
	for line, says := range map[string]string{
		"webhook trigger record.opened --dir " + dir:                              sandbox,
		"webhook trigger record.opened --dir " + dir + " --tenant elm-street":     sandbox,
		"webhook trigger record.opened":                                           "no sandbox runs in .frontdesk",
		"webhook trigger record.opened --tenant elm-street":                       "give --tenant and --patient",
		"webhook trigger record.opened --database-url nonsense --dir " + dir:      "give --tenant and --patient",
		"webhook verify " + token + " --dir " + dir:                               sandbox,
		"webhook listen --listen 127.0.0.1:0 --dir " + dir:                        sandbox,
		"webhook verify " + token + " --jwks-url http://127.0.0.1:1 --dir " + dir: "the webhook is not valid",
		"token mint --dir " + dir:                                                 sandbox,
	} {
		clitest.Frontdesk(t, strings.Fields(line)...).WantFailure(t, 1, says)
	}
	t.Setenv("FRONTDESK_DIR", dir)
	clitest.Frontdesk(t, "webhook", "trigger", "record.opened").WantFailure(t, 1, sandbox)
}

// An auditor types the trusted keys and the files to compare. The machine that signs or that
// archives exports names of its own.
func TestEnvironmentSetsNoTrust_D57(t *testing.T) {
	for _, name := range []string{"ARCHIVE", "IN", "CHECKPOINT", "SINCE", "KEY", "WITNESS_KEY"} {
		t.Setenv("FRONTDESK_"+name, "/var/lib/frontdesk/archive")
	}
	t.Setenv("FRONTDESK_WITNESSES", "2")
	clitest.Frontdesk(t, "audit", "verify").WantFailure(t, 1, "nothing-to-verify")
}

// A witness that has lost its state must not begin again because of the environment.
func TestTheEnvironmentBeginsNoWitness_D78(t *testing.T) {
	t.Setenv("FRONTDESK_NEW", "true")
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	clitest.Frontdesk(t, "key", "make-witness", "--name=witness.example", "--out="+key)
	log := clitest.Frontdesk(t, "key", "make-log", "--name=api.example", "--out="+key+".log").Out
	clitest.Frontdesk(t, "witness", "--listen=192.0.2.1:0", "--key-file="+key, "--state="+dir, "--log-key="+log).WantFailure(t, 1, "holds no state", "--new")
}

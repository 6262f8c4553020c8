package service_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// oneKey is a database with one key, which signs.
func oneKey(t *testing.T) (kid string, keys func(args ...string) []string) {
	t.Helper()
	url, file := postgrestest.New(t).URL, masterKey(t)
	keys = func(args ...string) []string {
		return append(append([]string{"key"}, args...), "--database-url", url, "--master-key-file", file)
	}
	kid = clitest.Frontdesk(t, keys("stage", "--json")...).Lines(t)[0]["kid"].(string)
	clitest.Frontdesk(t, keys("activate", kid)...).WantSuccess(t)
	return kid, keys
}

func TestSigningKeyIsNotRetiredWithoutConfirmation_D34(t *testing.T) {
	t.Parallel()
	kid, keys := oneKey(t)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "the only key that signs", "no webhook is signed or sent", "stage another", "--yes")
	staged := clitest.Frontdesk(t, keys("stage", "--json")...).Lines(t)[0]["kid"].(string)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "activate "+staged+", from 2")
	clitest.Frontdesk(t, keys("retire", kid, "--yes")...).WantSuccess(t)

	listed := clitest.Frontdesk(t, "key", "list", "--database-url", keys()[2]).Out
	if !strings.Contains(listed, "activate it at once, because no key signs") || !strings.Contains(listed, "retire it, from ") {
		t.Errorf("listed\n%s", listed)
	}
	clitest.Frontdesk(t, keys("activate", staged)...).WantSuccess(t)
	clitest.Frontdesk(t, keys("retire", kid)...).WantFailure(t, 1, "signing-key-in-use") // nothing to ask about
}

func TestAtATerminalTheKeyThatSignsIsRetiredByYes_D34(t *testing.T) {
	t.Parallel()
	kid, keys := oneKey(t)
	for _, test := range []struct{ typed, says string }{
		{"\n", "nothing was changed"}, {"n\n", "nothing was changed"}, {"", "stopped; nothing was changed"}, {"yes\n", ""},
	} {
		o := clitest.AtTerminal(t, test.typed, keys("retire", kid)...)
		if want := min(len(test.says), 1); o.Status != want || !strings.Contains(o.Err, "the only key that signs") || !strings.Contains(o.Err, test.says) {
			t.Errorf("typed %q: exit status %d\n%s", test.typed, o.Status, o.Err)
		}
	}
}

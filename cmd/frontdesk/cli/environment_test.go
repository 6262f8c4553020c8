package cli_test

import (
	"strings"
	"testing"
)

// The environment is often exported for other commands. What is typed wins over it, and
// it names no other service unless it is complete.
func TestTheEnvironmentDoesNotLeadAwayFromASandbox_D57(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "JWKS_URL", "JWKS"} {
		t.Setenv("FRONTDESK_"+name, "postgres://the.other.example/")
	}
	dir, token := t.TempDir(), "a.b.c"
	sandbox := "no sandbox runs in " + dir
	for line, says := range map[string]string{
		"webhook trigger record.opened --dir " + dir:                          sandbox,
		"webhook trigger record.opened --dir " + dir + " --tenant elm-street": sandbox,
		"webhook trigger record.opened":                                       "no sandbox runs in .frontdesk",
		"webhook trigger record.opened --tenant elm-street":                   "give --tenant and --patient",
		"webhook trigger record.opened --database-url nonsense --dir " + dir:  "give --tenant and --patient",
		"webhook verify " + token + " --dir " + dir:                           sandbox,
		"webhook listen --listen 127.0.0.1:0 --dir " + dir:                    sandbox,
		"webhook verify " + token + " --jwks-url http://[:: --dir " + dir:     "the webhook does not hold",
		"token mint --dir " + dir:                                             sandbox,
	} {
		frontdesk(t, strings.Fields(line)...).wantFailure(t, 1, says)
	}
	t.Setenv("FRONTDESK_DIR", dir)
	frontdesk(t, "webhook", "trigger", "record.opened").wantFailure(t, 1, sandbox)
}

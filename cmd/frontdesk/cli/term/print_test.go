package term_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// hostile is a name that clears a terminal, turns the order of a line round, and begins
// another line of a table.
const hostile = "Elm\u009b2J\x1b[2J\u202etxet\u2066\u2028\r\x7f\n999\tforged"

const shown = `Elm\u009b2J\u001b[2J\u202etxet\u2066\u2028\u000d\u007f\u000a999\u0009forged`

func wantHarmless(t *testing.T, what, printed string) {
	t.Helper()
	if strings.ContainsAny(printed, "\u009b\x1b\u202e\u2066\u2028\r\x7f") || strings.Contains(printed, "\n999") {
		t.Errorf("%s prints what a terminal would act on:\n%q", what, printed)
	}
}

func TestATerminalActsOnNothingThatIsPrinted_D50(t *testing.T) {
	t.Parallel()
	url := postgrestest.New(t).URL
	do := func(args ...string) clitest.Outcome {
		t.Helper()
		o := clitest.Frontdesk(t, append(args, "--database-url", url)...)
		if o.Status != 0 {
			t.Fatalf("%v: %s", args, o.Err)
		}
		wantHarmless(t, strings.Join(args[:2], " "), o.Out+o.Err)
		return o
	}
	do("practice", "register", "--tenant=elm", "--name="+hostile)
	id := clitest.Objects(t, do("application", "register", "--name="+hostile, "--jwks-url=https://app.example/jwks.json", "--json").Out)[0]["applicationId"].(string)
	do("application", "enable", "--tenant=elm", "--application="+id)
	if table := do("audit", "replay", "--as-of=3").Out; !strings.Contains(table, shown) || strings.Count(table, "\n") != strings.Count(table, "\n  ")+3 {
		t.Errorf("the table is\n%s", table)
	}
	do("audit", "log", "--show-personal")
	for _, e := range clitest.Objects(t, do("audit", "log", "--json", "--event=practice.registered").Out) {
		if name := e["data"].(map[string]any)["name"]; name != hostile {
			t.Errorf("JSON says that the name is %q", name)
		}
	}
	refused := clitest.Frontdesk(t, "application", "enable", "--database-url", url, "--tenant="+hostile, "--application="+id)
	wantHarmless(t, "a refusal", refused.Err)
	wrong := clitest.Frontdesk(t, "application", "enable", "--"+hostile)
	wantHarmless(t, "a usage error", wrong.Err+wrong.Out)
}

func TestATokenThatIsExplainedMovesNoCursor_D50(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	token := clitest.Mint(t, key, "--sub=dr\u202e\u009blee")
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", jwks, token)
	wantHarmless(t, "token explain", o.Out+o.Err)
	if !strings.Contains(o.Out, `dr\u202e\u009blee`) {
		t.Errorf("it says\n%s", o.Out)
	}
	var verdict struct{ Claims map[string]any }
	machine := clitest.Frontdesk(t, "token", "explain", "--json", "--jwks", jwks, token)
	wantHarmless(t, "token explain --json", machine.Out)
	if err := json.Unmarshal([]byte(machine.Out), &verdict); err != nil || verdict.Claims["sub"] != "dr\u202e\u009blee" {
		t.Errorf("JSON says %v, %v", verdict.Claims["sub"], err)
	}
}

// An attachment goes to a file or a pipe as it is, and not to a terminal.
func TestAnAttachmentIsNotWrittenToATerminal_D50(t *testing.T) {
	t.Parallel()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	defer terminal.Close()
	var said strings.Builder
	status := cli.Main(t.Context(), []string{"audit", "attachment", "--database-url=postgres://nowhere", "0190c7a2-0000-7000-8000-0000000000a1"},
		cli.Streams{In: strings.NewReader(""), Out: terminal, Err: &said})
	if status != 1 || !strings.Contains(said.String(), "--out") {
		t.Errorf("exit status %d: %s", status, &said)
	}
}

package cli_test

import (
	"os/exec"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestCompletionListsNextWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"au":                               "audit authorisation",
		"aud":                              "audit",
		"key":                              "key",
		"key ret":                          "retire retire-master",
		"practice ":                        "list register export close reopen list-passkey-roles set-passkey-rule set-note-template set-information offboard",
		"webhook ":                         "list set remove test listen trigger verify",
		"he":                               "",
		"audit ex":                         "explain export",
		"audit ":                           "attachment begin-epoch calls checkpoint deliveries explain export log prove rebuild replay subject-pack verify who-accessed",
		"audit export --man":               "--manifest",
		"audit export --tenant elm --man":  "--manifest",
		"audit export --ma":                "--master-key-file --master-key-command --master-key --manifest",
		"audit export --tenant ex":         "", // files, or nothing
		"serve --durability ":              "asynchronous synchronous",
		"serve --durability=s":             "--durability=synchronous",
		"serve --durability = s":           "synchronous", // as bash cuts it
		"serve --durability =":             "asynchronous synchronous",
		"audit calls --outcome ":           "allowed refused failed",
		"application grant --json --mode ": "application-restricted user-restricted",
		"audit log -f --pa":                "--patient",
		"webhook trigger rec":              "record.opened",
		"webhook trigger record.opened --dir x --t": "--tenant",
		"sandbox ":           "start clock reset receiver causes body remove",
		"sandbox --fr":       "--fresh",
		"sandbox --dir x r":  "reset receiver remove",
		"sandbox receiver s": "slow silent",
		"completion ":        "bash zsh fish",
		"key retire --y":     "--yes",
	} {
		words := strings.Split(line, " ")
		o := clitest.Frontdesk(t, append([]string{"completion", "words", "--"}, words...)...)
		var found []string
		for line := range strings.Lines(o.Out) {
			word, _, _ := strings.Cut(line, "\t")
			found = append(found, word)
		}
		if got := strings.Join(found, " "); o.Status != 0 || got != want {
			t.Errorf("after %q may come %q, want %q: %s", line, got, want, o.Err)
		}
	}
}

// Each shell reads its script, if it is here.
func TestShellsReadTheirScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := clitest.Frontdesk(t, "completion", shell)
		if script.Status != 0 || !strings.Contains(script.Out, "completion words -- ") {
			t.Errorf("completion %s: exit status %d: %s%s", shell, script.Status, script.Out, script.Err)
		}
		program, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), program, "-n", "/dev/stdin")
		check.Stdin = strings.NewReader(script.Out)
		if says, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", shell, err, says)
		}
	}
}

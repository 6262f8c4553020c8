package cli_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/docs"
)

// The page's config file holds for each command that it names.
func TestConfigurationOfThePageServes_D108(t *testing.T) {
	t.Parallel()
	text := docs.OperatorsBlocks(t, "operate/settings.md", "A file of settings")[0]
	o := clitest.ServeNowhere(t, "--config", clitest.SettingsFile(t, text))
	o.WantFailure(t, 1, "checks failed")
	if said := o.Configuration(); !strings.HasPrefix(said["durability"], "synchronous by ") || !strings.HasPrefix(said["trusted-proxy"], "10.0.0.0/8 192.0.2.7/32 by ") {
		t.Errorf("of the page's file it says\n%s", o.Out)
	}
	clitest.Frontdesk(t, "sign", "--config", clitest.SettingsFile(t, text)).WantFailure(t, 1, "/etc/frontdesk/log.key")
}

func TestProfileIsTakenByThePage_D108(t *testing.T) {
	t.Parallel()
	service := clitest.Serving(t, "--database-url", postgrestest.New(t).URL, "--pprof").Line(t, "serving")
	line := strings.TrimSpace(docs.OperatorsBlocks(t, "operate/monitor.md", "Take a profile")[0])
	line = strings.Replace(line, "http://127.0.0.1:9090", service["private_url"].(string), 1)
	words := strings.Fields(strings.Replace(line, "seconds=10", "seconds=1", 1))
	profile := exec.CommandContext(t.Context(), words[0], words[1:]...)
	profile.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	if out, err := profile.CombinedOutput(); err != nil || !strings.Contains(string(out), "Type: cpu") {
		t.Errorf("%v: %v\n%s", words, err, out)
	}
}

var mentioned = regexp.MustCompile("`frontdesk ([^`]+)`")

// Each command that running text names exists, with its flags. A command with values is to be
// typed, so it is in a block, too, and exists there.
func TestCommandsInTextOfOperatorsPagesExist_D113(t *testing.T) {
	t.Parallel()
	sessions := []string{"clear", "sealed", "rebuild"} // names of sessions
	typed, found := "", map[string]string{}
	for page, text := range docs.OperatorsPages() {
		for _, b := range docs.Blocks(text) {
			if b.Language == "sh" {
				typed += b.Text
			}
		}
		for _, command := range mentioned.FindAllStringSubmatch(text, -1) {
			found[command[1]] = page
		}
	}
	for command, page := range found {
		if !slices.Contains(sessions, command) {
			wantCommand(t, page, command, typed)
		}
	}
	if len(found) < 20 {
		t.Errorf("%d commands are named", len(found))
	}
}

func wantCommand(t *testing.T, page, command, typed string) {
	t.Helper()
	name, flags, _ := strings.Cut(command+" ", " --")
	help := clitest.Frontdesk(t, append(strings.Fields(name), "--help")...)
	if help.Status != 0 {
		t.Errorf("%s: there is no %q: %s", page, "frontdesk "+name, help.Err)
		return
	}
	for flag := range strings.SplitSeq(flags, " --") {
		flag, value, _ := strings.Cut(strings.TrimSpace(strings.Replace(flag, "=", " ", 1)), " ")
		if flag != "" && !strings.Contains(help.Out, "--"+flag) {
			t.Errorf("%s: frontdesk %s has no --%s", page, name, flag)
		}
		if value != "" && value != "…" && !strings.Contains(typed, "frontdesk "+command) {
			t.Errorf("%s: nobody types %q, because it stands in no block", page, "frontdesk "+command)
		}
	}
}

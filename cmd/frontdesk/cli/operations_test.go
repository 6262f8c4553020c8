package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/docs"
)

// The page's file of settings holds for each command that it names.
func TestWhatIsConfiguredAsThePageSaysServes_D108(t *testing.T) {
	t.Parallel()
	text := docs.OperatorsBlocks(t, "operations/settings.md", "A file of settings")[0]
	o := serveNowhere(t, "--config", settingsFile(t, text))
	o.wantFailure(t, 1, "checks failed")
	if said := o.configuration(); !strings.HasPrefix(said["durability"], "synchronous by ") || !strings.HasPrefix(said["trusted-proxy"], "10.0.0.0/8 192.0.2.7/32 by ") {
		t.Errorf("of the page's file it says\n%s", o.out)
	}
	frontdesk(t, "sign", "--config", settingsFile(t, text)).wantFailure(t, 1, "/etc/frontdesk/log.key")
}

func TestAProfileIsTakenAsThePageSays_D108(t *testing.T) {
	t.Parallel()
	service := serving(t, "--database-url", postgrestest.New(t).URL, "--pprof").line(t, "serving")
	line := strings.TrimSpace(docs.OperatorsBlocks(t, "operations.md", "Profiles")[0])
	line = strings.Replace(line, "http://127.0.0.1:9090", service["private_url"].(string), 1)
	words := strings.Fields(strings.Replace(line, "seconds=10", "seconds=1", 1))
	profile := exec.CommandContext(t.Context(), words[0], words[1:]...)
	profile.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	if out, err := profile.CombinedOutput(); err != nil || !strings.Contains(string(out), "Type: cpu") {
		t.Errorf("%v: %v\n%s", words, err, out)
	}
}

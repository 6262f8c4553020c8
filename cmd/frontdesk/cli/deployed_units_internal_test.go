package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// systemd itself finds no fault with the units. The program is replaced by another, because it
// need not be installed here.
func TestSystemdUnderstandsTheUnits_D112(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var copies []string
	for _, kind := range []string{"service", "timer"} {
		for name, lines := range unitFiles(t, kind) {
			text := strings.ReplaceAll(strings.Join(lines, "\n"), "/usr/local/bin/frontdesk", "/bin/true")
			copies = append(copies, filepath.Join(dir, name))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	verify := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify", "--man=no"}, copies...)...)
	if said, err := verify.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze verify: %v: %s", err, said)
	}
}

// Each unit is complete in itself, so that none lacks its sandboxing because another file is
// missing. Here they are all the same.
func TestEveryUnitIsConfinedAlike_D112(t *testing.T) {
	t.Parallel()
	own := []string{"EnvironmentFile", "LoadCredential", "Environment", "User", "StateDirectory", "StateDirectoryMode", "ExecStart", "Restart", "RestartSec", "TimeoutStopSec", "Type", "LogRateLimitIntervalSec"}
	files := unitFiles(t, "service")
	walls := func(name string) []string {
		_, service, _ := strings.Cut(strings.Join(files[name], "\n"), "[Service]\n")
		service, _, _ = strings.Cut(service, "\n[Install]")
		return slices.DeleteFunc(strings.Fields(strings.ReplaceAll(service, " ", "\x00")), func(line string) bool {
			key, _, _ := strings.Cut(line, "=")
			return slices.Contains(own, key)
		})
	}
	want := walls("frontdesk.service")
	if len(want) < 20 || !slices.Contains(want, "DynamicUser=yes") {
		t.Fatalf("the service is confined by %q alone", want)
	}
	for name := range files {
		if strings.HasPrefix(name, "frontdesk-backup") {
			continue // they run Postgres, which writes to the cluster's files, as its user
		}
		if got := walls(name); !slices.Equal(got, want) {
			t.Errorf("%s is confined by\n%q, and not by\n%q", name, got, want)
		}
	}
}

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/docs"
)

// documentedServe is a line of the page that serves, as a check of a service on a database: the
// dots stand for what each service has.
func documentedServe(t *testing.T, line, database string) outcome {
	t.Helper()
	usual := "--check --database-url " + database + " --listen=127.0.0.1:0 --private-listen=127.0.0.1:0 --api-domain=api.example --auth-url=https://auth.example"
	command, flags, ok := strings.Cut(strings.TrimSpace(line), " … ")
	if !ok || command != "frontdesk serve" {
		t.Fatalf("%q serves nothing", line)
	}
	args := append([]string{"serve"}, strings.Fields(usual)...)
	for n, word := range strings.Split(flags, "'") { // what is quoted is one word
		if n%2 == 1 {
			args = append(args, word)
			continue
		}
		args = append(args, strings.Fields(word)...)
	}
	return frontdesk(t, args...)
}

// What the page says of settings, the check, the master key and connections holds by the letter.
func TestWhatIsConfiguredAsThePageSaysServes_D108(t *testing.T) {
	db, dir := postgrestest.New(t), t.TempDir()
	text := docs.OperatorsBlocks(t, "operations/settings.md", "A file of settings")[0]
	o := serveNowhere(t, "--config", settingsFile(t, text))
	o.wantFailure(t, 1, "checks failed")
	if said := o.configuration(); !strings.HasPrefix(said["durability"], "synchronous by ") || !strings.HasPrefix(said["trusted-proxy"], "10.0.0.0/8 192.0.2.7/32 by ") {
		t.Errorf("of the page's file it says\n%s", o.out)
	}
	frontdesk(t, "sign", "--config", settingsFile(t, text)).wantFailure(t, 1, "/etc/frontdesk/log.key")

	variable, command, _ := strings.Cut(strings.TrimSpace(docs.OperatorsBlocks(t, "operations.md", "Before it serves")[0]), " ")
	name, _, _ := strings.Cut(variable, "=")
	t.Setenv(name, settingsFile(t, fmt.Sprintf("serve:\n  database-url: %s\n  listen: 127.0.0.1:0\n  private-listen: 127.0.0.1:0\n"+
		"  api-domain: api.example\n  auth-url: https://auth.example\n", db.URL)))
	frontdesk(t, strings.Fields(command)[1:]...).wantSuccess(t)
	must(t, os.Unsetenv(name))

	vault := "#!/bin/sh\n[ \"$*\" = 'kv get -field=key secret/frontdesk' ] && echo " + base64Of(theMasterKey) + "\n"
	must(t, os.WriteFile(filepath.Join(dir, "vault"), []byte(vault), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	keyed := documentedServe(t, docs.OperatorsBlocks(t, "operations/settings.md", "Where the master key comes from")[0], db.URL)
	keyed.wantSuccess(t)
	if said := keyed.configuration()["master-key-command"]; said != "vault kv get -field=key secret/frontdesk by command line" {
		t.Errorf("of the master key it says %q", said)
	}
	smaller := documentedServe(t, docs.OperatorsBlocks(t, "operations/settings.md", "Connections to the database")[0], db.URL)
	if said := smaller.checks()["connections"]; !strings.HasPrefix(said, "ok: each process has 20 at most") {
		t.Errorf("of connections it says %q", said)
	}
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

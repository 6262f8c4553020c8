package cli_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
)

// base64Of is a master key as it is written.
func base64Of(key sealing.MasterKey) string { return base64.StdEncoding.EncodeToString(key[:]) }

// The environment of these tests has a master key. What is typed is nearer.
func TestACommandPrintsTheMasterKey_D108(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	show := []string{"audit", "log", "--show-personal", "--database-url", c.auditor}
	for _, command := range []string{
		"echo " + base64Of(theMasterKey), "echo  " + base64Of(theMasterKey), // words, wherever the spaces are
		`sh -c printf\ ` + base64Of(theMasterKey), // a shell for who asks for one
	} {
		o := frontdesk(t, append(show, "--master-key-command", command)...)
		o.wantSuccess(t)
		if !strings.Contains(o.out, "Ann Archer") {
			t.Errorf("%s: printed\n%s", command, o.out)
		}
	}
	list := settingsFile(t, "serve:\n  master-key-command: [sh, -c, 'echo "+base64Of(theMasterKey)+" | cat']\n")
	o := checkServing(t, c.db.URL, "--config", list)
	if got := o.checks()["master key"]; !strings.HasPrefix(got, "ok: ") {
		t.Errorf("by a list of words, the master key is %q", got)
	}
}

func TestACommandThatPrintsNoMasterKeyIsNotQuoted_D108(t *testing.T) {
	t.Parallel()
	c, dir := newClinic(t), t.TempDir()
	file := filepath.Join(dir, "key")
	must(t, os.WriteFile(file, []byte(base64Of(theMasterKey)), 0o600))
	for flags, says := range map[string][]string{
		"--master-key-command=echo geheim":                                   {"read what echo prints: a master key is 32 random bytes"},
		`--master-key-command=sh -c echo\ geheim;echo\ geheim\ >&2;exit\ 7`:  {"run sh for the master key", "exit status 7"},
		"--master-key-command=/nowhere/geheim":                               {"/nowhere/"},
		"--master-key-command=$(echo geheim)":                                {"run $(echo for the master key"}, // no shell
		`--master-key-command=sh -c yes\ geheim`:                             {"run sh for the master key: a master key is 32 random bytes"},
		"--master-key-command= ":                                             {"there is no master key"},
		"--master-key-command=echo x --master-key-file=" + file:              {"give the master key in one way"},
		"--master-key-command=echo x --master-key=" + base64Of(theMasterKey): {"give the master key in one way"},
		"--old-master-key-command=false --master-key-file=" + file:           {"run false for the master key"},
		"--old-master-key-command=true --old-master-key-file=" + file:        {"give the master key in one way"},
	} {
		args := []string{"serve", "--database-url", c.db.URL, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example"}
		for flag := range strings.SplitSeq(flags, " --") {
			args = append(args, "--"+strings.TrimPrefix(flag, "--"))
		}
		o := frontdesk(t, args...)
		o.wantFailure(t, 1, says...)
		if strings.Contains(strings.ReplaceAll(o.err, "/nowhere/geheim", ""), "geheim") {
			t.Errorf("%s: it says %s", flags, o.err)
		}
	}
}

// A database whose key is kept elsewhere gets another one in the same way. Whoever looks for
// "reseal" finds it.
func TestTheMasterKeyIsChangedByCommands_D108(t *testing.T) {
	t.Parallel()
	c, next := newClinic(t), sealing.MasterKey{2}
	change := []string{"keys", "reseal", "--database-url", c.db.AdminURL, "--master-key-command", "echo " + base64Of(theMasterKey)}
	frontdesk(t, change...).wantFailure(t, 1, "--new-master-key-file")
	frontdesk(t, append(change, "--new-master-key-command=echo", "--new-master-key-file=x")...).wantFailure(t, 1, "in one way")
	o := frontdesk(t, append(change, "--new-master-key-command", "echo "+base64Of(next))...)
	o.wantSuccess(t)
	if !strings.Contains(o.out, "wrapped under master key "+next.ID()) {
		t.Errorf("printed\n%s", o.out)
	}
	both := checkServing(t, c.db.URL, "--master-key-command", "echo "+base64Of(next), "--old-master-key-command", "echo "+base64Of(theMasterKey))
	if got := both.checks()["master key"]; got != "ok: it opens what is sealed here ("+next.ID()+")" {
		t.Errorf("with both, the master key is %q", got)
	}
}

package term_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// base64Of is a master key as it is written.
func base64Of(key sealing.MasterKey) string { return base64.StdEncoding.EncodeToString(key[:]) }

// The environment of these tests has a master key. The command line wins.
func TestACommandPrintsTheMasterKey_D108(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	show := []string{"audit", "log", "--show-personal", "--database-url", c.Auditor}
	for _, command := range []string{
		"echo " + base64Of(clitest.MasterKey), "echo  " + base64Of(clitest.MasterKey), // words, wherever the spaces are
		`sh -c printf\ ` + base64Of(clitest.MasterKey), // a shell for who asks for one
	} {
		o := clitest.Frontdesk(t, append(show, "--master-key-command", command)...)
		o.WantSuccess(t)
		if !strings.Contains(o.Out, "Ann Archer") {
			t.Errorf("%s: printed\n%s", command, o.Out)
		}
	}
	list := clitest.SettingsFile(t, "serve:\n  master-key-command: [sh, -c, 'echo "+base64Of(clitest.MasterKey)+" | cat']\n")
	o := clitest.CheckServing(t, c.DB.URL, "--config", list)
	if got := o.Checks()["master key"]; !strings.HasPrefix(got, "ok: ") {
		t.Errorf("by a list of words, the master key is %q", got)
	}
}

func TestACommandThatPrintsNoMasterKeyIsNotQuoted_D108(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	file := filepath.Join(dir, "key")
	clitest.Must(t, os.WriteFile(file, []byte(base64Of(clitest.MasterKey)), 0o600))
	for flags, says := range map[string][]string{
		"--master-key-command=echo geheim":                                        {"read the output of echo: a master key is 32 random bytes"},
		`--master-key-command=sh -c echo\ geheim;echo\ geheim\ >&2;exit\ 7`:       {"run sh for the master key", "exit status 7"},
		"--master-key-command=/nowhere/geheim":                                    {"/nowhere/"},
		"--master-key-command=$(echo geheim)":                                     {"run $(echo for the master key"}, // no shell
		`--master-key-command=sh -c yes\ geheim`:                                  {"run sh for the master key: a master key is 32 random bytes"},
		"--master-key-command= ":                                                  {"there is no master key"},
		"--master-key-command=echo x --master-key-file=" + file:                   {"give the master key in one way"},
		"--master-key-command=echo x --master-key=" + base64Of(clitest.MasterKey): {"give the master key in one way"},
	} {
		args := []string{"serve", "--database-url", c.DB.URL, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example"}
		for flag := range strings.SplitSeq(flags, " --") {
			args = append(args, "--"+strings.TrimPrefix(flag, "--"))
		}
		o := clitest.Frontdesk(t, args...)
		o.WantFailure(t, 1, says...)
		if strings.Contains(strings.ReplaceAll(o.Err, "/nowhere/geheim", ""), "geheim") {
			t.Errorf("%s: it says %s", flags, o.Err)
		}
	}
}

// A command cannot be given a key, so an operator adds it to the command's output.
func TestCommandPrintsNextMasterKey_D136(t *testing.T) {
	t.Parallel()
	c, next := clitest.NewClinic(t), sealing.MasterKey{2}
	list := filepath.Join(t.TempDir(), "ring")
	clitest.Must(t, os.WriteFile(list, []byte(base64Of(clitest.MasterKey)+"\n"), 0o600))
	rotate := []string{"key", "rotate-master", "--database-url", c.DB.AdminURL, "--master-key-command", "cat " + list}
	clitest.Frontdesk(t, rotate...).WantFailure(t, 1, "add a line of `openssl rand -base64 32` to the command's output")
	clitest.Must(t, os.WriteFile(list, []byte(base64Of(clitest.MasterKey)+"\n"+base64Of(next)+"\n"), 0o600))
	o := clitest.Frontdesk(t, rotate...)
	o.WantSuccess(t)
	if !strings.Contains(o.Out, "under master key "+next.ID()) {
		t.Errorf("printed\n%s", o.Out)
	}
	both := clitest.CheckServing(t, c.DB.URL, "--master-key-command", "cat "+list)
	if got := both.Checks()["master key"]; got != "ok: it decrypts the stored keys ("+next.ID()+")" {
		t.Errorf("with both, the master key is %q", got)
	}
	clitest.Frontdesk(t, "key", "retire-master", "--database-url", c.DB.AdminURL, "--master-key-command", "cat "+list, "--oldest-backup=2100-01-01").WantSuccess(t)
}

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestCommandLineWinsOverEnvironmentAndFile_D108(t *testing.T) {
	t.Setenv("FRONTDESK_CALLS_IN_FLIGHT", "7")
	t.Setenv("FRONTDESK_RATE_LIMIT", "8")
	file := clitest.SettingsFile(t, `# for all
api-domain: api.example
durability: synchronous
session-idle: 10m
serve:
  listen: 127.0.0.1:0
  session-idle: 20m   # stands nearer
  calls-in-flight: 5
  rate-limit: 6
  daily-bytes: 1GiB
  trusted-proxy: [10.0.0.0/8, 192.0.2.0/24]
  allow-network: 127.0.0.0/8
  lockout: 3m
session-limit: 3h
sign:
  every: 20s
`)
	o := clitest.ServeNowhere(t, "--config", file, "--auth-url=https://auth.example", "--rate-limit=9", "--lockout=2m")
	o.WantFailure(t, 1, "checks failed")
	said := o.Configuration()
	for flag, want := range map[string]string{
		"api-domain": "api.example by " + file + ":2", "durability": "synchronous by " + file + ":3", "session-idle": "20m by " + file + ":7",
		"session-limit": "3h by " + file + ":14", "calls-in-flight": "7 by FRONTDESK_CALLS_IN_FLIGHT", "rate-limit": "9 by command line",
		"lockout": "2m by command line", "daily-bytes": "1GiB by " + file + ":10", "trusted-proxy": "10.0.0.0/8 192.0.2.0/24 by " + file + ":11",
		"allow-network": "127.0.0.0/8 by " + file + ":12", "webhook-timeout": "10s by default", "erasure-ledger": "- by default",
		"config": file + " by command line",
	} {
		if said[flag] != want {
			t.Errorf("%s is %q, want %q", flag, said[flag], want)
		}
	}
}

func TestTheEnvironmentMayNameTheFile_D108(t *testing.T) {
	t.Setenv("FRONTDESK_CONFIG", clitest.SettingsFile(t, "serve: {listen: '127.0.0.1:0', api-domain: api.example, auth-url: 'https://auth.example'}"))
	if said := clitest.ServeNowhere(t).Configuration(); said["api-domain"] != "api.example by "+os.Getenv("FRONTDESK_CONFIG")+":1" {
		t.Errorf("it says %v", said)
	}
	clitest.Frontdesk(t, "version").WantSuccess(t) // which reads no such file
}

// Commands without --config read the section for operators of the file that the environment
// names, and nothing else of the file. Flags and the environment override it.
func TestOperatorsHaveASection_D181(t *testing.T) {
	db, other := postgrestest.New(t), postgrestest.New(t)
	const file = "database-url: %s\nserve: {database-url: '%[1]s'}\noperator:\n  database-url: %s\n  auth-url: https://auth.example\n"
	t.Setenv("FRONTDESK_CONFIG", clitest.SettingsFile(t, fmt.Sprintf(file, other.URL, db.URL)))
	practices := func(db *postgrestest.Database) (n int) {
		clitest.Must(t, db.AdminPool(t).QueryRow(t.Context(), `SELECT count(*) FROM practices`).Scan(&n))
		return n
	}
	clitest.Frontdesk(t, "practice", "register", "--tenant=elm", "--name=Elm").WantSuccess(t)
	o := clitest.Frontdesk(t, "staff", "invite", "--tenant=elm", "--username=dr.lee", "--name=Lee", "--email=lee@elm.example")
	if o.WantSuccess(t); !strings.Contains(o.Out, "link: https://auth.example/elm/") {
		t.Errorf("the link is another: %s", o.Out)
	}
	if here, there := practices(db), practices(other); here != 1 || there != 0 {
		t.Errorf("%d and %d practices", here, there)
	}
	clitest.Frontdesk(t, "practice", "register", "--tenant=oak", "--name=Oak", "--database-url", other.URL).WantSuccess(t)
	t.Setenv("FRONTDESK_DATABASE_URL", other.URL)
	clitest.Frontdesk(t, "practice", "register", "--tenant=ash", "--name=Ash").WantSuccess(t)
	if here, there := practices(db), practices(other); here != 1 || there != 2 {
		t.Errorf("%d and %d practices", here, there)
	}
	t.Setenv("FRONTDESK_CONFIG", "/nowhere")
	clitest.Frontdesk(t, "practice", "list").WantFailure(t, 2, "/nowhere")
	clitest.Frontdesk(t, "version").WantSuccess(t) // which needs no database
}

func TestNoSecretIsShown_D108(t *testing.T) {
	t.Parallel()
	file := clitest.SettingsFile(t, "listen: 127.0.0.1:0\napi-domain: api.example\nauth-url: https://auth.example\n"+
		"nats: ['nats://relay:geheim@one:4222', 'nats://geheim@two:4222']\nmaster-key: geheim\n")
	for _, url := range []string{
		"postgres://app:geheim@db/x", "postgres://app@db/x?password=geheim&sslmode=disable", "host=/nowhere user=app password='geh eim' dbname=x", "user=app Password = geheim",
	} {
		o := clitest.Frontdesk(t, "serve", "--check", "--config", file, "--database-url", url)
		if said := o.Configuration(); strings.Contains(o.Out+o.Err, "geh") || !strings.Contains(said["database-url"], "app") || !strings.Contains(said["nats"], "@one:4222") {
			t.Errorf("%s: it says\n%s%s", url, o.Out, o.Err)
		}
	}
}

// A file that is wrong is refused by its line, and the refusal quotes nothing of it but names.
func TestWrongConfigFileIsRefusedByLine_D108(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"serve:\n  listn: geheim\n":                      ":2: listn is no flag of serve: frontdesk serve --help lists them",
		"\nlistn: geheim\n":                              ":2: listn is no flag of a command that reads such a file: those are serve, sign, witness, relay, retain, migrate",
		"serv:\n  listen: geheim\n":                      ":2: serv is no command that reads such a file",
		"sign:\n  listen: geheim\n":                      ":2: listen is no flag of sign",
		"sign:\n  state: a\n  adopt: true\n":             ":3: adopt is typed, and never in a file",
		"witness:\n  new: true\n":                        ":2: new is typed, and never in a file",
		"serve: {check: true}\n":                         ":1: check is typed, and never in a file",
		"operator:\n  tenant: geheim\n":                  ":2: tenant is no flag that the section for operators may set",
		"config: geheim\n":                               ":1: config is typed, and never in a file",
		"rate-limit: many\n":                             `:1: rate-limit: expected a float but got "many"`,
		"durability: some\n":                             ":1: durability must be one of asynchronous, synchronous",
		"session-idle: [1m, 2m]\n":                       ":1: session-idle takes one value",
		"trusted-proxy: [10.0.0.0/8, 10.0.0.1]\n":        `:1: trusted-proxy: netip.ParsePrefix("10.0.0.1"): no '/'`,
		"session-idle: 1m\nlockout:\n":                   ":2: lockout needs a value",
		"lockout: &a 1m\n":                               ":1: lockout needs a value",
		"serve:\n  lockout: {a: geheim}\n":               ":2: lockout needs a value",
		"- geheim\n":                                     ":1: write flags, each as its name, a colon and its value",
		"lockout: 1m\nlockout: 2m\n":                     ":2: this is no YAML",
		"serve:\n  lockout: 1m\n session-idle: geheim\n": "this is no YAML",
		"lockout: \"geheim\nsession-idle: geheim\n":      "this is no YAML",
		strings.Repeat("# long\n", 200_000):              "is longer than 1 MiB",
	} {
		o := clitest.Frontdesk(t, "serve", "--config", clitest.SettingsFile(t, text))
		o.WantFailure(t, 2, "frontdesk.yaml", want)
		if strings.Contains(o.Err, "geheim") {
			t.Errorf("%q is quoted:\n%s", text, o.Err)
		}
	}
	clitest.Frontdesk(t, "serve", "--config=/nowhere").WantFailure(t, 2, "/nowhere")
}

func TestAFileWithASecretIsForItsOwner_D108(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"serve:\n  master-key: AAAA\n", "sign:\n  database-url: postgres://signer:geheim@db/x\n", "serve:\n  database-url: user=app password=geheim\n",
		"relay:\n  nats: ['nats://one', 'nats://geheim@two']\n",
	} {
		file := clitest.SettingsFile(t, text)
		clitest.Must(t, os.Chmod(file, 0o644))
		for _, command := range []string{"serve", "sign"} {
			clitest.Frontdesk(t, command, "--config", file).WantFailure(t, 2, file+":2: ", "holds a secret", "chmod o-rwx "+file)
		}
		clitest.Must(t, os.Chmod(file, 0o640))
		if o := clitest.Frontdesk(t, "sign", "--config", file); strings.Contains(o.Err, "holds a secret") {
			t.Errorf("%q: %s", text, o.Err)
		}
	}
	public := clitest.SettingsFile(t, "serve:\n  database-url: postgres://app@db/x\n")
	clitest.Must(t, os.Chmod(public, 0o644))
	if o := clitest.Frontdesk(t, "serve", "--config", public); strings.Contains(o.Err, "holds a secret") {
		t.Errorf("a file without secrets: %s", o.Err)
	}
}

// Each command that runs for long, or keeps house, reads the same file.
func TestCommandsReadOneFile_D108(t *testing.T) {
	t.Parallel()
	db, dir := postgrestest.New(t), t.TempDir()
	file := clitest.SettingsFile(t, fmt.Sprintf("migrate:\n  database-url: %s\nretain:\n  database-url: %[1]s\n  archive: %s\nsign:\n  log-key-file: %[2]s/none\n"+
		"  state: %[2]s\n  database-url: %[3]s\nwitness:\n  key-file: %[2]s/none\n  listen: 127.0.0.1:0\n  state: %[2]s\n  log-key: x\nrelay:\n  database-url: %[3]s\n"+
		"  nats: [http://one]\n", db.AdminURL, dir, db.URL))
	for command, says := range map[string]string{"migrate": "nothing to change", "retain": "there are partitions up to"} {
		o := clitest.Frontdesk(t, command, "--config", file)
		o.WantSuccess(t)
		if !strings.Contains(o.Out, says) {
			t.Errorf("%s says %s", command, o.Out)
		}
	}
	clitest.Frontdesk(t, "sign", "--config", file).WantFailure(t, 1, dir+"/none")
	clitest.Frontdesk(t, "witness", "--config", file).WantFailure(t, 1, "is no verifier key of a log")
	clitest.Frontdesk(t, "relay", "--config", file).WantFailure(t, 1, "address 1 of the broker")
}

package service_test

import (
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/docs"
)

var flagForm = regexp.MustCompile(`--[a-z][a-z-]+`)

// Every flag of a service is in the operators' page.
func TestTheOperatorsPageHasEveryFlag(t *testing.T) {
	t.Parallel()
	page := docs.OperatorsPages()["operate/settings.md"]
	for _, command := range []string{"serve", "sandbox start"} {
		help := clitest.Frontdesk(t, append(strings.Fields(command), "--help")...).Out
		flags := flagForm.FindAllString(help, -1)
		if len(flags) < 10 {
			t.Fatalf("%s --help shows %v", command, flags)
		}
		for _, flag := range flags {
			if flag != "--help" && !strings.Contains(page, "`"+flag+"`") {
				t.Errorf("%s of %s is not in docs/operate/settings.md", flag, command)
			}
		}
	}
}

// The default in the help is the value that holds without the flag.
func TestTheHelpOfAServiceShowsItsDefaults(t *testing.T) {
	t.Parallel()
	help := clitest.Frontdesk(t, "serve", "--help").Out
	for _, flag := range []string{
		"--authorisation-lifetime=12h", "--lockout=1m", "--session-idle=30m", "--session-limit=12h", "--jwks-cache=1h", "--calls-in-flight=1024",
		"--rate-limit=50", "--daily-bytes=50GiB",
	} {
		if !strings.Contains(help, flag+" ") && !strings.Contains(help, flag+"\n") {
			t.Errorf("the help does not show %s", flag)
		}
	}
}

// A developer who tries out a rotation of keys does not wait for an hour.
func TestASandboxReadsKeySetsAgainAfterSeconds_D96(t *testing.T) {
	t.Parallel()
	if help := clitest.Frontdesk(t, "sandbox", "start", "--help").Out; !strings.Contains(help, "--jwks-cache=5s ") {
		t.Errorf("the help does not show 5s:\n%s", help)
	}
}

func TestMigrateChangesTheOwner_D51(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	if _, err := db.SuperuserPool(t).Exec(t.Context(), `ALTER TABLE events OWNER TO postgres`); err != nil {
		t.Fatal(err)
	}
	migrate := []string{"migrate", "--database-url", db.SuperuserURL, "--change-owner"}
	clitest.Frontdesk(t, append(migrate, "postgres")...).WantFailure(t, 1, "postgres is a superuser", "name a plain role")
	for _, want := range []string{"gave to frontdesk_owner: 1 × table\n", "frontdesk_owner owns everything already\n"} {
		if o := clitest.Frontdesk(t, append(migrate, "frontdesk_owner")...); o.Status != 0 || !strings.HasPrefix(o.Out, want+"nothing to change: ") {
			t.Errorf("exit status %d, %q, %q, want %q", o.Status, o.Out, o.Err, want)
		}
	}
}

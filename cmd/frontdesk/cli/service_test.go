package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var flagForm = regexp.MustCompile(`--[a-z][a-z-]+`)

// Every flag of a service is in the operators' page.
func TestTheOperatorsPageHasEveryFlag(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"serve", "sandbox"} {
		help := frontdesk(t, command, "--help").out
		flags := flagForm.FindAllString(help, -1)
		if len(flags) < 10 {
			t.Fatalf("%s --help shows %v", command, flags)
		}
		for _, flag := range flags {
			if flag != "--help" && !strings.Contains(string(page), "`"+flag+"`") {
				t.Errorf("%s of %s is not in docs/operations.md", flag, command)
			}
		}
	}
}

// What is shown as the default is what holds without the flag.
func TestTheHelpOfAServiceShowsItsDefaults(t *testing.T) {
	t.Parallel()
	help := frontdesk(t, "serve", "--help").out
	for _, flag := range []string{
		"--authorisation-lifetime=12h", "--lockout=1m", "--session-idle=30m", "--session-limit=12h", "--jwks-cache=1h", "--calls-in-flight=1024",
		"--rate-limit=500", "--daily-bytes=50GiB",
	} {
		if !strings.Contains(help, flag+" ") && !strings.Contains(help, flag+"\n") {
			t.Errorf("the help does not show %s", flag)
		}
	}
}

package audit_test

import (
	"os"
	"path/filepath"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A range that the log does not have would look like all that there is.
func TestARangeBeyondTheHeadIsRefused_D57(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	file := filepath.Join(t.TempDir(), "log")
	refused := func(status int, says string, args ...string) {
		t.Helper()
		o := clitest.Frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.Auditor)...)...)
		o.WantFailure(t, status, says)
		if status == 1 && o.Out != "" {
			t.Errorf("audit %v shows %q", args, o.Out)
		}
	}
	const ends = "The log ends at idx 13, before 14. (beyond-the-head)"
	for _, command := range [][]string{{"log"}, {"export", "--out", file}} {
		refused(1, ends, append(command, "--up-to=14")...)
		refused(1, ends, append(command, "--after=14")...)
		refused(1, "empty-range", append(command, "--after=5", "--up-to=4")...)
		refused(1, "invalid-after", append(command, "--after=-1")...)
		refused(2, "the log counts from 1", append(command, "--up-to=-1")...)
		refused(2, "the log counts from 1", append(command, "--up-to=0")...)
	}
	refused(1, ends, "replay", "--as-of=14")
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
	if o := c.Audit(t, "log", "--json", "--after=13", "--up-to=13"); o.Out != "" {
		t.Errorf("nothing stands after the head, but it shows %s", o.Out)
	}
}

// Who follows may name an end that is still to come.
func TestFollowingEndsAtUpTo(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	done := make(chan clitest.Outcome)
	go func() {
		done <- clitest.Frontdesk(t, "audit", "log", "--follow", "--json", "--after=12", "--up-to=14", "--database-url", c.Auditor)
	}()
	for _, name := range []string{"fourteenth", "fifteenth"} {
		if o := clitest.Frontdesk(t, "practice", "register", "--tenant="+name, "--name=Oak", "--database-url", c.DB.URL); o.Status != 0 {
			t.Fatal(o.Err)
		}
	}
	if o := <-done; o.Status != 0 || len(clitest.Objects(t, o.Out)) != 2 {
		t.Errorf("exit status %d: %s%s", o.Status, o.Out, o.Err)
	}
}

func TestAnInstantIsRFC3339Exactly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-03-02T12:00:00,5Z", "2026-03-02T1:00:00Z", "2026-03-02T12:00:00+25:00", "2026-03-02 12:00:00Z", "2026-03-02T12:00Z", "2026-02-30T12:00:00Z", "0001-01-01T00:00:00Z", "tomorrow", ""} {
		clitest.Frontdesk(t, "audit", "log", "--database-url=x", "--since="+text).WantFailure(t, 2, "no instant in RFC 3339")
		clitest.Frontdesk(t, "audit", "replay", "--database-url=x", "--as-of="+text).WantFailure(t, 1, "instant")
	}
	for _, text := range []string{"2026-03-02T12:00:00Z", "2026-03-02T12:00:00.123456789+05:45", "2024-02-29T23:59:59-00:00"} {
		clitest.Frontdesk(t, "audit", "log", "--database-url=nonsense://", "--since="+text).WantFailure(t, 1, "database URL")
	}
}

// A flag that is not given is the zero time.Time, which must not be typed: a pause until then
// would have no end.
func TestZeroInstantIsNotAFlagLeftOut(t *testing.T) {
	t.Parallel()
	const zero = "0001-01-01T00:00:00Z"
	elm, ann := []string{"--tenant=elm", "--database-url=x"}, "0190c7a2-0000-7000-8000-0000000000a1"
	for name, c := range map[string]struct {
		flag string
		line []string
	}{
		"a pause":        {"until", append([]string{"request-type", "pause", "--request-type=medical"}, elm...)},
		"a closure":      {"until", append([]string{"practice", "close"}, elm...)},
		"a reopening":    {"from", append([]string{"practice", "reopen"}, elm...)},
		"an appointment": {"at", append([]string{"appointment", "book", "--patient=" + ann, "--site=" + ann}, elm...)},
		"events":         {"until", []string{"audit", "log", "--database-url=x"}},
		"calls":          {"until", []string{"audit", "calls", "--database-url=x"}},
		"an explanation": {"at", []string{"audit", "explain", "--database-url=x"}},
		"a token":        {"now", []string{"token", "explain", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Frontdesk(t, append(c.line, "--"+c.flag+"="+zero)...).WantFailure(t, 2, `--`+c.flag+`: "`+zero+`" is no instant`)
		})
	}
}

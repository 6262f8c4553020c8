package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestTheLogIsFiltered(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	names := func(args ...string) string {
		t.Helper()
		var names []string
		for _, e := range clitest.Objects(t, c.Audit(t, append([]string{"log", "--json"}, args...)...).Out) {
			names = append(names, e["name"].(string))
		}
		return strings.Join(names, " ")
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--tenant=oak"}, "practice.registered.v1"},
		{[]string{"--after=2", "--up-to=3"}, "staff.registered.v1"},
		{[]string{"--event=practice.application-enabled", "--event=practice.application-disabled.v1"}, "practice.application-enabled.v1 practice.application-disabled.v1"},
		{[]string{"--tenant=elm", "--user=dr.lee"}, "staff.registered.v1 practice.application-enabled.v1 user-authorisation.granted.v1 patient.record-restricted.v1"},
		{[]string{"--since", c.Before.Format(time.RFC3339Nano), "--until", c.Enabled.Format(time.RFC3339Nano)}, "practice.application-enabled.v1 user-authorisation.granted.v1"},
		{[]string{"--application", c.App, "--tenant=elm"}, "practice.application-enabled.v1 user-authorisation.granted.v1 practice.application-disabled.v1"},
		{[]string{"--patient", c.Bob}, "patient.registered.v1 patient.record-restricted.v1"},
		{[]string{"--stream", "0190c7a2-0000-7000-8000-0000000000a1"}, ""},
	} {
		if got := names(test.args...); got != test.want {
			t.Errorf("%v shows %q, want %q", test.args, got, test.want)
		}
	}
	clitest.Frontdesk(t, "audit", "log", "--user=dr.lee", "--database-url", c.Auditor).WantFailure(t, 1, "--tenant")
}

// A follower sees later events, and its end is no failure.
func TestTheLogIsFollowed(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	ctx, stop := context.WithCancel(t.Context())
	out := &watched{want: "oak.later", seen: stop}
	done := make(chan clitest.Outcome)
	go func() {
		done <- frontdeskIn(ctx, out, "audit", "log", "--follow", "--json", "--after=13", "--database-url", c.Auditor)
	}()
	if o := clitest.Frontdesk(t, "practice", "register", "--tenant=later", "--name=oak.later", "--database-url", c.DB.URL); o.Status != 0 {
		t.Fatal(o.Err)
	}
	if o := <-done; o.Status != 0 || strings.Count(out.text, "\n") != 1 || !strings.Contains(out.text, `"idx":`+strconv.Itoa(14)) {
		t.Errorf("exit status %d: %s%s", o.Status, out.text, o.Err)
	}
}

// That there is nothing about a patient is an answer, too.
func TestFollowingIsRecordedEvenIfNothingComes_D37(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	c.Audit(t, "log", "--follow", "--up-to=13", "--patient=0190c7a2-0000-7000-8000-0000000000ff")
	c.Drain(t)
	if found := clitest.Objects(t, c.Audit(t, "log", "--json", "--event=audit.queried").Out); len(found) != 1 {
		t.Errorf("it is recorded %d times: %v", len(found), found)
	}
}

// Events after the last idx that both histories have are shown again, after the line that
// reports the loss.
func TestAFollowerGoesBackWhenTheLogHasLostItsEnd_D49(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	register := func(name string) {
		o := clitest.Frontdesk(t, "practice", "register", "--tenant="+name, "--name=oak."+name, "--database-url", c.DB.URL)
		if o.Status != 0 {
			t.Error(o.Err)
		}
	}
	shown := make(chan struct{}, 100) // a signal for each line shown
	out := &watched{want: "oak.", seen: func() { shown <- struct{}{} }}
	done := make(chan clitest.Outcome)
	go func() {
		done <- frontdeskIn(ctx, out, "audit", "log", "--follow", "--json", "--after=13", "--database-url", c.Auditor)
	}()
	register("lost")
	<-shown
	if _, err := c.DB.SuperuserPool(t).Exec(t.Context(), `
		SET session_replication_role = replica;
		DELETE FROM events WHERE position > (SELECT position FROM log WHERE idx = 12);
		DELETE FROM log WHERE idx > 12;
		UPDATE sequencer SET head = 12, reached = (SELECT max(position) FROM log), gaps = '{}', timeline = timeline - 1;
		RESET session_replication_role`); err != nil {
		t.Fatal(err)
	}
	register("found")
	for range 2 { // lines
		select {
		case <-shown:
		case <-ctx.Done():
			t.Fatal("the follower goes on behind what was lost")
		}
	}
	stop()
	o := <-done
	var idx []string
	for _, line := range clitest.Objects(t, o.Out) {
		idx = append(idx, fmt.Sprint(line["idx"], " ", line["name"]))
	}
	want := []string{"14 practice.registered.v1", "13 log.epoch-begun.v1", "14 practice.registered.v1"}
	if !slices.Equal(idx, want) {
		t.Errorf("shows %v, want %v", idx, want)
	}
}

// watched is an output that signals when it has seen a text.
type watched struct {
	text, want string
	seen       func()
}

// Write adds to the text and signals when it holds the wanted text.
func (w *watched) Write(p []byte) (int, error) {
	if w.text += string(p); strings.Contains(w.text, w.want) {
		w.seen()
	}
	return len(p), nil
}

func frontdeskIn(ctx context.Context, out *watched, args ...string) clitest.Outcome {
	var err strings.Builder
	status := cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: out, Err: &err})
	return clitest.Outcome{Status: status, Out: out.text, Err: err.String()}
}

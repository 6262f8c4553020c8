package practice_test

import (
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestAPatientIsFoundAndTheReadingRecorded_D68(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	find := func(tenant, name string, flags ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"patient", "find", "--tenant", tenant, "--name", name, "--database-url", c.DB.URL}, flags...)...)
	}
	o := find("elm", "ARCH ann")
	o.WantSuccess(t)
	if want := c.Ann + "  Ann Archer"; !strings.HasPrefix(o.Out, want) || strings.Contains(o.Out, "Baker") {
		t.Errorf("printed %q, want %s", o.Out, want)
	}
	if o = find("elm", "archer", "--json"); !strings.HasPrefix(o.Out, `{"more":false,"patients":[{"patientId":"`+c.Ann+`","name":"Ann Archer"`) {
		t.Errorf("printed %s", o.Out)
	}
	find("elm", "nobody").WantSuccess(t)
	find("elm", " ").WantFailure(t, 1, "missing-name")
	find("nowhere", "ann").WantFailure(t, 1, "unknown-practice")
	find("elm", "ann", clitest.NoMasterKey).WantFailure(t, 1, clitest.SealedHere)
	c.Drain(t)
	log := c.Audit(t, "log", "--json", "--event", "audit.queried")
	if n := strings.Count(log.Out, `"find-patient"`); n != 3 || strings.Count(log.Out, "patient="+c.Ann) != 2 || strings.Contains(strings.ToLower(log.Out), "arch") {
		t.Errorf("the log has %d readings:\n%s", n, log.Out)
	}
}

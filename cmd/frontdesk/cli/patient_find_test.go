package cli_test

import (
	"strings"
	"testing"
)

func TestAPatientIsFoundAndTheReadingRecorded_D68(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	find := func(tenant, name string, flags ...string) outcome {
		return frontdesk(t, append([]string{"find-patient", "--tenant", tenant, "--name", name, "--database-url", c.db.URL}, flags...)...)
	}
	o := find("elm", "ARCH ann")
	o.wantSuccess(t)
	if want := c.ann + "  Ann Archer"; !strings.HasPrefix(o.out, want) || strings.Contains(o.out, "Baker") {
		t.Errorf("printed %q, want %s", o.out, want)
	}
	if o = find("elm", "archer", "--json"); !strings.HasPrefix(o.out, `{"more":false,"patients":[{"patientId":"`+c.ann+`","name":"Ann Archer"`) {
		t.Errorf("printed %s", o.out)
	}
	find("elm", "nobody").wantSuccess(t)
	find("elm", " ").wantFailure(t, 1, "missing-name")
	find("nowhere", "ann").wantFailure(t, 1, "unknown-practice")
	find("elm", "ann", noMasterKey).wantFailure(t, 1, sealedHere)
	c.drain(t)
	log := c.audit(t, "log", "--json", "--event", "audit.queried")
	if n := strings.Count(log.out, `"find-patient"`); n != 3 || strings.Count(log.out, "patient="+c.ann) != 2 || strings.Contains(strings.ToLower(log.out), "arch") {
		t.Errorf("the log has %d readings:\n%s", n, log.out)
	}
}

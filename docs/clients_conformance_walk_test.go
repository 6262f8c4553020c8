//go:build walk

package docs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/conformance"
)

// The clients pass the checks for integrators' own receivers and clients (D100).
func TestWalkClientsPassTheChecks_D99(t *testing.T) {
	t.Parallel()
	s, _ := aSandbox(t)
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		address := freeAddress(t)
		d := c.drive(t, "listen", "FRONTDESK_JWKS=http://"+address+"/transactional-api/jwks", "FRONTDESK_TENANT="+conformance.Tenant)
		var listening struct{ URL string }
		d.read(&listening)
		s.operate(t, "integrator", "check-receiver", "--listen", address, s.secured(t, listening.URL))

		dir := t.TempDir()
		jwks, folder := filepath.Join(dir, "jwks.json"), absolute(t, c.dir)
		for _, kid := range []string{"one", "two"} {
			s.operate(t, "token", "keygen", "--kid", kid, "--key", filepath.Join(dir, kid), "--jwks", jwks)
		}
		use := func(kid string) string {
			return fmt.Sprintf("ln -sfn %s %s/key && echo %s > %s/kid", kid, dir, kid, dir)
		}
		output(t, "", dir, "bash", "-c", use("one"))
		submit := fmt.Sprintf(`cd %q && export FRONTDESK_API=$BASE_URL FRONTDESK_APPLICATION=01980000-0000-7000-8000-000000000001 FRONTDESK_KID=$(cat %[2]s/kid) FRONTDESK_KEY=%[2]s/key
			echo '{"do":"create-patient-request","input":{"patientId":"'$PATIENT_ID'","requestType":"admin","requester":"patient","response":[{"question":"requestDetails","answer":"A letter"}]}}' |
			%s call | grep '"ok"'`, folder, dir, strings.Join(c.driver, " "))
		s.operate(t, "integrator", "check-client", "--listen", freeAddress(t), "--jwks", jwks, "--rotate", use("two"), "--", "bash", "-c", submit)
	})
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

package service_test

import (
	"net/http"
	"os"
	"regexp"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/docs"
)

var probe = regexp.MustCompile(`httpGet: \{path: (\S+), port: private\}`)

// The probes of a pod are served, on the private listener alone.
func TestProbesOfPodsAreServed_D112(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../docs/operate/kubernetes/serve.yaml")
	clitest.Must(t, err)
	probes := probe.FindAllStringSubmatch(string(text), -1)
	if len(probes) != 3 {
		t.Fatalf("it is asked %v", probes)
	}
	service := clitest.Serving(t, "--database-url", postgrestest.New(t).URL).Line(t, "serving")
	for _, asked := range probes {
		for listener, want := range map[string]int{"private_url": http.StatusOK, "url": http.StatusNotFound} {
			response, err := http.Get(service[listener].(string) + asked[1])
			clitest.Must(t, err)
			_ = response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("%s%s is answered %d, want %d", listener, asked[1], response.StatusCode, want)
			}
		}
	}
}

var handed = regexp.MustCompile(`--(kustomize|filename) (\S+)`)

// There is no cluster here to type the page's lines for. The files that they hand to kubectl
// exist at least.
func TestFilesForKubectlExist_D112(t *testing.T) {
	t.Parallel()
	found := handed.FindAllStringSubmatch(docs.OperatorsPages()["operate/kubernetes.md"], -1)
	if len(found) < 5 {
		t.Fatalf("it is handed %v", found)
	}
	for _, hand := range found {
		name := "../../../../" + hand[2]
		if hand[1] == "kustomize" {
			name += "/kustomization.yaml"
		}
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

package kubernetes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

const (
	// validator holds the schemas of the versions below, and refuses unknown fields.
	validator = "sigs.k8s.io/kubectl-validate@v0.0.4"
	oldest    = "1.28"
	newest    = "1.30" // of its schemas. The types that objects reads are newer
)

func TestTheManifestsAreValid_D112(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range manifests(t) {
		objects(t, text)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{oldest, newest} {
		if said, err := validated(t, version, dir); err != nil || strings.Count(said, "OK") != len(manifests(t)) {
			t.Errorf("Kubernetes %s: %v: %s", version, err, said)
		}
	}
	broken := strings.Replace(string(manifests(t)["run.yaml"]), "terminationGracePeriodSeconds", "terminationGraceSeconds", 1)
	if err := os.WriteFile(filepath.Join(dir, "run.yaml"), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := validated(t, newest, dir); err == nil || !strings.Contains(said, "terminationGraceSeconds") {
		t.Errorf("a field that nobody knows: %v: %s", err, said)
	}
}

func validated(t *testing.T, version, dir string) (said string, err error) {
	t.Helper()
	check := exec.CommandContext(t.Context(), "go", "run", validator, "--version", version, dir)
	check.Dir = dir // outside of every module
	output, err := check.CombinedOutput()
	return string(output), err
}

// Every pod may run if the Pod Security Standard "restricted" is enforced, as the namespace does.
func TestEveryPodIsRestricted_D112(t *testing.T) {
	t.Parallel()
	judge, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	found := 0
	for _, text := range manifests(t) {
		for _, object := range objects(t, text) {
			pod := podOf(object)
			if pod == nil {
				continue
			}
			found++
			if verdict := policy.AggregateCheckResults(judge.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec)); !verdict.Allowed {
				t.Errorf("%v: %s: %s", pod.Labels, verdict.ForbiddenReason(), verdict.ForbiddenDetail())
			}
			confined(t, pod)
		}
	}
	if found != 5 {
		t.Errorf("%d kinds of pods", found)
	}
}

// confined checks rules beyond the standard.
func confined(t *testing.T, pod *corev1.PodTemplateSpec) {
	t.Helper()
	if use := pod.Spec.AutomountServiceAccountToken; use == nil || *use {
		t.Errorf("%v has a token for the cluster", pod.Labels)
	}
	if links := pod.Spec.EnableServiceLinks; links == nil || *links {
		t.Errorf("%v is told of Services by variables", pod.Labels)
	}
	for _, container := range pod.Spec.Containers {
		if c := container.SecurityContext; c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem || container.Resources.Limits.Memory().IsZero() {
			t.Errorf("%v writes its own files, or takes all memory", pod.Labels)
		}
		if !strings.HasPrefix(container.Image, "registry.example.org/frontdesk:") {
			t.Errorf("%v runs %s, which is not the image that the kustomization names", pod.Labels, container.Image)
		}
	}
}

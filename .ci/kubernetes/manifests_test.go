package kubernetes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const folder = "../../docs/operate/kubernetes"

// manifests are the output of `kubectl apply --kustomize`, and the example of the Secrets.
func manifests(t *testing.T) map[string][]byte {
	t.Helper()
	secrets, err := os.ReadFile(filepath.Join(folder, "secrets.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"run.yaml": rendered(t, "."), "migrate.yaml": rendered(t, "migrate"), "secrets.yaml": secrets}
}

func rendered(t *testing.T, name string) []byte {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(folder, name))
	if err != nil {
		t.Fatalf("kustomize %s: %v", name, err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// objects decodes manifests into Kubernetes' own types, and refuses unknown fields.
func objects(t *testing.T, manifests []byte) (read []runtime.Object) {
	t.Helper()
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for text := range strings.SplitSeq(string(manifests), "\n---\n") {
		object, _, err := strict.Decode([]byte(text), nil, nil)
		if err != nil {
			t.Errorf("%v:\n%s", err, text)
			continue
		}
		read = append(read, object)
	}
	return read
}

// podOf is the template of an object's pods; nil if it makes none.
func podOf(object runtime.Object) *corev1.PodTemplateSpec {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return &o.Spec.Template
	case *appsv1.StatefulSet:
		return &o.Spec.Template
	case *batchv1.Job:
		return &o.Spec.Template
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template
	}
	return nil
}

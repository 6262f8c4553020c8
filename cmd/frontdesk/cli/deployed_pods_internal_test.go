package cli

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/goccy/go-yaml"
)

// workload is what is read of a manifest: that of a pod, or of what makes pods.
type workload struct {
	Kind string
	Spec struct {
		Template    podTemplate
		JobTemplate struct {
			Spec struct{ Template podTemplate }
		} `yaml:"jobTemplate"`
	}
}

type podTemplate struct {
	Spec struct{ Containers []container }
}

type container struct {
	Name    string
	Args    []string
	Env     []struct{ Name, Value string }
	EnvFrom []struct {
		SecretRef struct{ Name string } `yaml:"secretRef"`
	} `yaml:"envFrom"`
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
}

// containersOf are those of all manifests for Kubernetes.
func containersOf(t *testing.T) (all []container) {
	t.Helper()
	for _, w := range documents[workload](t, "serve.yaml", "sign.yaml", "relay.yaml", "retain.yaml", "migrate/job.yaml") {
		all = append(all, w.Spec.Template.Spec.Containers...)
		all = append(all, w.Spec.JobTemplate.Spec.Template.Spec.Containers...)
	}
	return all
}

// documents reads manifests, several of which may stand in one file.
func documents[T any](t *testing.T, names ...string) (all []T) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(operations, "kubernetes", name))
		if err != nil {
			t.Fatal(err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var one T
			err := decoder.Decode(&one)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, one)
		}
	}
	return all
}

// pods are the programs of the pods: with the variables of the image, which the manifest's go before.
func pods(t *testing.T) (all []deployed) {
	t.Helper()
	secrets := secretVariables(t)
	for _, c := range containersOf(t) {
		d := deployed{name: c.Name, args: c.Args, settings: operations + "kubernetes/frontdesk.yaml", ports: map[string]string{}, env: map[string]string{}}
		if c.Args[0] == "serve" {
			d.env = imageVariables(t)
		}
		for _, variable := range c.Env {
			d.env[variable.Name] = variable.Value
		}
		for _, from := range c.EnvFrom {
			for variable := range maps.Keys(secrets[from.SecretRef.Name]) {
				d.secrets = append(d.secrets, variable)
			}
		}
		for _, port := range c.Ports {
			d.ports[port.Name] = ":" + strconv.Itoa(port.ContainerPort)
		}
		all = append(all, d)
	}
	return all
}

// secretVariables are what the example of the Secrets holds, by their names.
func secretVariables(t *testing.T) map[string]map[string]string {
	t.Helper()
	secrets := map[string]map[string]string{}
	for _, s := range documents[struct {
		Metadata   struct{ Name string }
		StringData map[string]string `yaml:"stringData"`
	}](t, "secrets.example.yaml") {
		secrets[s.Metadata.Name] = s.StringData
	}
	return secrets
}

var imageVariable = regexp.MustCompile(`(FRONTDESK_\w+)=(\S+)`)

// imageVariables are those that every container of the image has.
func imageVariables(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	for _, found := range imageVariable.FindAllStringSubmatch(string(text), -1) {
		variables[found[1]] = found[2]
	}
	return variables
}

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
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workload is the part of a manifest that is read: of a pod, or of a maker of pods.
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
	Spec struct {
		Containers []container
		Volumes    []struct {
			Name  string
			Claim *struct{} `yaml:"persistentVolumeClaim"`
		}
	}
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
	VolumeMounts []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
	claimed []string // the folders that a PersistentVolumeClaim holds
}

// containers are those of a pod, with the folders that outlive it.
func (p podTemplate) containers() []container {
	for n, c := range p.Spec.Containers {
		for _, mount := range c.VolumeMounts {
			for _, volume := range p.Spec.Volumes {
				if volume.Name == mount.Name && volume.Claim != nil {
					p.Spec.Containers[n].claimed = append(p.Spec.Containers[n].claimed, mount.Path)
				}
			}
		}
	}
	return p.Spec.Containers
}

// containersOf are those of all manifests for Kubernetes.
func containersOf(t *testing.T) (all []container) {
	t.Helper()
	for _, w := range documents[workload](t, "serve.yaml", "sign.yaml", "relay.yaml", "retain.yaml", "migrate/job.yaml") {
		all = append(all, w.Spec.Template.containers()...)
		all = append(all, w.Spec.JobTemplate.Spec.Template.containers()...)
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
		d := deployed{
			name: c.Name, args: c.Args, settings: operations + "kubernetes/frontdesk.yaml", ports: map[string]string{}, env: map[string]string{}, writable: c.claimed,
		}
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

// secretVariables are the values in the example of the Secrets, by their names.
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

// composed are the containers of the compose files that run the program itself.
func composed(t *testing.T) (all []deployed) {
	t.Helper()
	for _, name := range []string{"compose.yaml", "compose.single.yaml"} {
		text, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Services map[string]struct {
				Image       string
				Environment map[string]string
				Volumes     []string
			}
		}
		if err := yaml.UnmarshalWithOptions(text, &file, yaml.AllowDuplicateMapKey()); err != nil { // beside those that << merges
			t.Fatalf("%s: %v", name, err)
		}
		for service, is := range file.Services {
			if is.Image != "localhost/frontdesk" {
				continue
			}
			d := deployed{name: name + " " + service, args: []string{"serve"}, env: imageVariables(t)}
			maps.Copy(d.env, is.Environment)
			for _, volume := range is.Volumes {
				_, folder, _ := strings.Cut(volume, ":")
				d.writable = append(d.writable, folder)
			}
			all = append(all, d)
		}
	}
	return all
}

// Package clitest runs command lines in tests, and makes the databases that they work on.
package clitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli"
)

// Outcome is the exit status and the output of one command line.
type Outcome struct {
	Status   int
	Out, Err string
}

// Frontdesk runs a command line with empty standard input.
func Frontdesk(t *testing.T, args ...string) Outcome {
	t.Helper()
	return FrontdeskWith(t, "", args...)
}

// FrontdeskWith runs a command line with a text as its standard input.
func FrontdeskWith(t *testing.T, in string, args ...string) Outcome {
	t.Helper()
	var out, err bytes.Buffer
	status := cli.Main(t.Context(), args, cli.Streams{In: strings.NewReader(in), Out: &out, Err: &err})
	return Outcome{status, out.String(), err.String()}
}

// WantFailure fails unless the run printed one line with the cause and the fix.
func (o Outcome) WantFailure(t *testing.T, status int, says ...string) {
	t.Helper()
	if o.Status != status {
		t.Errorf("exit status %d, want %d: %s", o.Status, status, o.Err)
	}
	if status == 1 && strings.Count(o.Err, "\n") != 1 {
		t.Errorf("standard error is not one line:\n%s", o.Err)
	}
	for _, text := range says {
		if !strings.Contains(o.Err, text) {
			t.Errorf("standard error does not say %q:\n%s", text, o.Err)
		}
	}
}

// WantSuccess fails unless the exit status is 0.
func (o Outcome) WantSuccess(t *testing.T) {
	t.Helper()
	if o.Status != 0 {
		t.Errorf("exit status %d: %s", o.Status, o.Err)
	}
}

// Lines reads standard output, one JSON object a line.
func (o Outcome) Lines(t *testing.T) (objects []map[string]any) {
	t.Helper()
	if o.Status != 0 {
		t.Fatal(o.Err)
	}
	for line := range strings.Lines(o.Out) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		objects = append(objects, object)
	}
	return objects
}

// MasterKey is in the environment of all command lines. [NoMasterKey] takes it away.
var MasterKey = sealing.MasterKey{1}

// NoMasterKey is the flag of a command line without a master key.
const NoMasterKey = "--master-key="

// SealedHere is the refusal of a command that needs the master key.
const SealedHere = "Personal data is sealed here: give the master key with --master-key-file. (no-master-key)"

// Lines hands on each write to it.
type Lines chan string

// Write hands on one write as a line.
func (l Lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

var servedAt = regexp.MustCompile(`"url":"([^"]+)"`)

// URL waits until a command prints its address.
func (l Lines) URL() string {
	for {
		if at := servedAt.FindStringSubmatch(<-l); at != nil {
			return at[1]
		}
	}
}

// Must ends the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Objects reads lines of JSON, an object each.
func Objects(t *testing.T, lines string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		all = append(all, object)
	}
	return all
}

// ReadFile returns the content of a file.
func ReadFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	Must(t, err)
	return string(text)
}

// Main runs the tests of a package with [MasterKey] in the environment of all command lines.
func Main(m *testing.M) {
	_ = os.Setenv("FRONTDESK_MASTER_KEY", base64.StdEncoding.EncodeToString(MasterKey[:])) // it fails only for names that no environment has
	m.Run()
}

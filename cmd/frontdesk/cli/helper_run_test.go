package cli_test

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

// outcome is what one command line left behind.
type outcome struct {
	status   int
	out, err string
}

// frontdesk runs a command line with empty standard input.
func frontdesk(t *testing.T, args ...string) outcome {
	t.Helper()
	return frontdeskWith(t, "", args...)
}

// frontdeskWith runs a command line with a text as its standard input.
func frontdeskWith(t *testing.T, in string, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	status := cli.Main(t.Context(), args, cli.Streams{In: strings.NewReader(in), Out: &out, Err: &err})
	return outcome{status, out.String(), err.String()}
}

// wantFailure fails unless the run said in one line why and what to do.
func (o outcome) wantFailure(t *testing.T, status int, says ...string) {
	t.Helper()
	if o.status != status {
		t.Errorf("exit status %d, want %d: %s", o.status, status, o.err)
	}
	if status == 1 && strings.Count(o.err, "\n") != 1 {
		t.Errorf("standard error is not one line:\n%s", o.err)
	}
	for _, text := range says {
		if !strings.Contains(o.err, text) {
			t.Errorf("standard error does not say %q:\n%s", text, o.err)
		}
	}
}

// wantSuccess fails unless the command did what it was told.
func (o outcome) wantSuccess(t *testing.T) {
	t.Helper()
	if o.status != 0 {
		t.Errorf("exit status %d: %s", o.status, o.err)
	}
}

// lines is what was printed, one JSON object a line.
func (o outcome) lines(t *testing.T) (objects []map[string]any) {
	t.Helper()
	if o.status != 0 {
		t.Fatal(o.err)
	}
	for line := range strings.Lines(o.out) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		objects = append(objects, object)
	}
	return objects
}

// theMasterKey is in the environment of all command lines. One that is to have none is
// given noMasterKey.
var theMasterKey = sealing.MasterKey{1}

// noMasterKey is the flag of a command line that is to have no master key.
const noMasterKey = "--master-key="

// sealedHere is the refusal of a command that needs the master key.
const sealedHere = "Personal data is sealed here: give the master key with --master-key-file. (no-master-key)"

// lines hands on what is written to it.
type lines chan string

// Write hands on one write as a line.
func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

var servedAt = regexp.MustCompile(`"url":"([^"]+)"`)

// url waits until a command says where it serves.
func (l lines) url() string {
	for {
		if at := servedAt.FindStringSubmatch(<-l); at != nil {
			return at[1]
		}
	}
}

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// objects reads lines of JSON, an object each.
func objects(t *testing.T, lines string) (all []map[string]any) {
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

// readFile returns what a file holds.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// runTests runs the tests of a package with [theMasterKey] in the environment of all command lines.
func runTests(m *testing.M) {
	_ = os.Setenv("FRONTDESK_MASTER_KEY", base64.StdEncoding.EncodeToString(theMasterKey[:])) // it fails for names alone that no environment has
	m.Run()
}

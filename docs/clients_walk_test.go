//go:build walk

package docs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A clientPackage is the client in one language, and its driver: a program that makes calls
// with it, each ordered by a line of JSON (client/go/internal/driver).
type clientPackage struct {
	dir    string   // in client/
	driver []string // command that runs it in that folder
	unit   []string // command that runs its own tests
}

// theClients are built once for all tests.
var theClients = sync.OnceValues(func() (map[string]clientPackage, error) {
	clients := map[string]clientPackage{}
	var failures []error
	for name, build := range map[string]func() (clientPackage, error){"Go": goPackage, "TypeScript": typescriptPackage, "Python": pythonPackage} {
		built, err := build()
		clients[name] = built
		failures = append(failures, err)
	}
	return clients, errors.Join(failures...)
})

func goPackage() (clientPackage, error) {
	dir, err := fetchedFolder()
	if err != nil {
		return clientPackage{}, err
	}
	program := filepath.Join(dir, "driver")
	_, err = tryOutput(context.Background(), "", "../client/go", "go", "build", "-o", program, "./internal/driver")
	return clientPackage{"../client/go", []string{program}, []string{"go", "test", "-race", "./..."}}, err
}

var theTypescriptClient = npm("../client/typescript")

func typescriptPackage() (clientPackage, error) {
	dir, err := theTypescriptClient()
	if err == nil {
		_, err = tryOutput(context.Background(), "", dir, "npm", "run", "build")
	}
	return clientPackage{dir, []string{"node", "dist/test/driver.js"}, []string{"npm", "test"}}, err
}

func pythonPackage() (clientPackage, error) {
	_, err := tryOutput(context.Background(), "", ".", python, "-c", "import jwt, cryptography")
	return clientPackage{
		"../client/python", []string{python, "-m", "tests.driver"}, []string{python, "-m", "unittest", "discover", "-t", ".", "-s", "tests"},
	}, err
}

// inEveryLanguage runs a test with each client.
func inEveryLanguage(t *testing.T, test func(t *testing.T, c clientPackage)) {
	t.Helper()
	clients, err := theClients()
	if err != nil {
		t.Fatal("The clients need what \"make deps\" installs. ", err)
	}
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func TestWalkClientsOwnTests_D99(t *testing.T) {
	t.Parallel()
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		vectors, err := filepath.Abs(vectorsFile)
		if err != nil {
			t.Fatal(err)
		}
		output(t, "", c.dir, "env", append([]string{"FRONTDESK_VECTORS=" + vectors}, c.unit...)...)
	})
}

// A driver is a running one.
type driver struct {
	t       *testing.T
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	said    strings.Builder
}

// drive starts a driver with settings, such as FRONTDESK_API=….
func (c clientPackage) drive(t *testing.T, work string, settings ...string) *driver {
	t.Helper()
	d := &driver{t: t}
	d.command = inGroup(exec.CommandContext(t.Context(), c.driver[0], append(c.driver[1:], work)...), c.dir, settings...)
	var err error
	if d.in, err = d.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := d.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.command.Stderr = &d.said
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	d.out = bufio.NewScanner(out)
	d.out.Buffer(nil, 16<<20)
	t.Cleanup(d.stop)
	return d
}

func (d *driver) stop() {
	_ = d.in.Close()
	for d.out.Scan() {
	}
	if err := d.command.Wait(); err != nil && d.t.Context().Err() == nil {
		d.t.Errorf("the driver ends with %v: %s", err, &d.said)
	}
}

// read reads a line.
func (d *driver) read(into any) {
	d.t.Helper()
	if !d.out.Scan() {
		d.t.Fatalf("the driver prints no more lines: %v\n%s", d.out.Err(), &d.said)
	}
	if err := json.Unmarshal(d.out.Bytes(), into); err != nil {
		d.t.Fatalf("the driver prints %.300q: %v", d.out.Text(), err)
	}
}

// order is a line of input for a driver.
type order struct {
	Do    string   `json:"do"`
	As    string   `json:"as,omitempty"`
	Act   any      `json:"act,omitempty"`
	Files []string `json:"files,omitempty"`
	Key   string   `json:"key,omitempty"`
	Input any      `json:"input,omitempty"`
}

// outcome is the driver's line of output for an order.
type outcome struct {
	OK    map[string]any  `json:"-"`
	Text  json.RawMessage `json:"ok"`
	Error *struct {
		Code, RequestID, Message string
		Status                   int
		RetryAfter               float64
	} `json:"error"`
	Tries         int
	Replayed      bool
	UnknownFields []string
}

type fields = map[string]any

// do sends an order, and reads its outcome.
func (d *driver) do(o order) (out outcome) {
	d.t.Helper()
	line, err := json.Marshal(o)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		d.t.Fatal(err, &d.said)
	}
	d.read(&out)
	_ = json.Unmarshal(out.Text, &out.OK) // lists stay a text
	return out
}

// must is do without a refusal.
func (d *driver) must(o order) outcome {
	d.t.Helper()
	out := d.do(o)
	if out.Error != nil {
		d.t.Fatalf("%s: %+v\n%s", o.Do, *out.Error, &d.said)
	}
	return out
}

// sandboxInfo holds the fields of sandbox.json that the clients need.
type sandboxInfo struct {
	APIURL, DatabaseURL, MasterKeyFile, TenantID string
	Application                                  struct{ ID, KID, PrivateKeyFile string }
	Staff                                        struct{ Username, Name string }
	People                                       []member
	Patients                                     []struct{ ID string }
	Sites, Rooms                                 []struct{ ID, SiteID string }
}

// member is a member of staff of the sandbox.
type member struct{ Username, Password string }

// aSandbox returns the shared one.
func aSandbox(t *testing.T) (*sandbox, sandboxInfo) {
	t.Helper()
	s, err := theSandbox()
	if err != nil {
		t.Fatal(err)
	}
	var info sandboxInfo
	s.read(t, &info)
	return s, info
}

// caller starts a driver that calls a service for the sandbox's application.
func (i sandboxInfo) caller(t *testing.T, c clientPackage, url string) *driver {
	t.Helper()
	return c.drive(t, "call", "FRONTDESK_API="+url, "FRONTDESK_APPLICATION="+i.Application.ID,
		"FRONTDESK_KID="+i.Application.KID, "FRONTDESK_KEY="+i.Application.PrivateKeyFile)
}

// operate runs a command of the program.
func (s *sandbox) operate(t *testing.T, arguments ...string) string {
	t.Helper()
	program, err := filepath.Abs("../.frontdesk/bin/frontdesk")
	if err != nil {
		t.Fatal(err)
	}
	return output(t, "", ".", "env", append([]string{"FRONTDESK_DIR=" + s.dir, program}, arguments...)...)
}

// aPatient registers a new one, so that no other test writes into the record.
func (s *sandbox) aPatient(t *testing.T, info sandboxInfo) string {
	t.Helper()
	registered := s.operate(t, "patient", "register", "--database-url", info.DatabaseURL, "--tenant", info.TenantID, "--json",
		"--master-key-file", info.MasterKeyFile, "--name", "Casey Client", "--birth-date", "1980-02-03")
	var patient struct{ PatientID string }
	if err := json.Unmarshal([]byte(registered), &patient); err != nil || patient.PatientID == "" {
		t.Fatalf("patient register prints %q: %v", registered, err)
	}
	return patient.PatientID
}

//go:build prove

package main_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/docs"
)

// TestProveSandboxImage_D177 types the commands of docs/integrate/test-in-ci.md. It measures the time from the start of
// the image to the first answer of a signed call, made outside of the container.
func TestProveSandboxImage_D177(t *testing.T) { //nolint:paralleltest // it has the machine to itself
	page := imagePage(t)
	if !inAWorld(t, func(dir, script string) { buildSandboxImage(t, dir, script, page["Make the image"][0]) }) {
		return
	}
	i := newImage(t)
	onMachine := page["On your machine"]
	if len(onMachine) != 5 {
		t.Fatalf("the page has %d blocks below On your machine", len(onMachine))
	}
	start, fetch, steer, restart, remove := onMachine[0], onMachine[1], onMachine[2], onMachine[3], onMachine[4]

	took := i.firstAnswer(start)
	t.Logf("seconds to the first answer: %.1f", took.Seconds())
	if said := i.run(fetch); !strings.Contains(said, `"mode":"application-restricted"`) {
		t.Errorf("the first call is answered %s", said)
	}
	i.wantOnlyPort()
	i.wantCause()
	i.run(steer)
	before := i.read("application-key.pem")
	i.run(restart)
	if i.run(fetch); i.read("application-key.pem") == before {
		t.Error("a restart has kept the key")
	}
	i.run(remove)

	i.t.Logf("seconds to the first answer of a busy practice: %.1f", i.firstAnswer(strings.Replace(start, "--detach", "--env FRONTDESK_SEED=busy --detach", 1)).Seconds())
	i.run(remove)
	i.receives(page["Receive webhooks"][0])
	i.run(remove)
	provetest.Tried(t, int(took.Milliseconds()), "milliseconds to the first answer")
}

// imagePage returns the commands of the page, by the heading above them.
func imagePage(t *testing.T) map[string][]string {
	t.Helper()
	text, err := docs.Pages.ReadFile("integrate/test-in-ci.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, b := range docs.Blocks(string(text)) {
		if b.Language == "sh" {
			blocks[b.Below] = append(blocks[b.Below], b.Text)
		}
	}
	return blocks
}

func buildSandboxImage(t *testing.T, dir, script, lines string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "unshare", "--mount", "bash", "-euc", script+lines)
	build.Dir, build.Env = filepath.Join(dir, "frontdesk"), podmanIn(dir)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the image: %v:\n%s", err, said)
	}
}

// image is a person with the image, in a folder of their own.
type image struct {
	t   *testing.T
	dir string
}

func newImage(t *testing.T) *image {
	t.Helper()
	i := &image{t, filepath.Join(os.Getenv(containersDir), "mine")}
	if err := os.MkdirAll(i.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			said, _ := i.command("podman ps --all; podman logs --tail 50 sandbox 2>&1").CombinedOutput()
			t.Logf("the container:\n%s", said)
		}
	})
	return i
}

func (i *image) command(lines string) *exec.Cmd {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(i.t.Context()), containersLimit)
	i.t.Cleanup(cancel)
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", lines)
	shell.Dir = i.dir
	shell.Env = append(os.Environ(), "PATH="+filepath.Join(os.Getenv(containersDir), "frontdesk", ".frontdesk", "images")+":"+os.Getenv("PATH"))
	return shell
}

// run types lines, and returns their output.
func (i *image) run(lines string) string {
	i.t.Helper()
	shell := i.command(lines)
	var trouble strings.Builder
	shell.Stderr = &trouble
	said, err := shell.Output()
	if err != nil {
		i.t.Fatalf("%s: %v:\n%s%s", lines, err, said, &trouble)
	}
	return string(said)
}

func (i *image) read(name string) string {
	i.t.Helper()
	return read(i.t, filepath.Join(i.dir, ".frontdesk", name))
}

// firstAnswer types the first line, which starts the container, and returns the time until a program on the
// package in Go has an answer. The other lines wait for the health check.
func (i *image) firstAnswer(start string) time.Duration {
	i.t.Helper()
	first, rest, _ := strings.Cut(start, "\n")
	watch := clock.Start()
	i.run(first)
	waitFor(i.t, func() bool { return i.ping() == nil })
	took := watch.Elapsed()
	i.run(rest)
	return took
}

// ping fetches the application's key and calls, as a program outside of the container.
func (i *image) ping() error {
	const given = `mkdir -p .frontdesk; for file in sandbox.json application-key.pem; do curl -sS --fail --output .frontdesk/$file http://127.0.0.1:8080/docs/$file; done`
	if err := i.command(given).Run(); err != nil {
		return err
	}
	info, err := sandbox.ReadInfo(filepath.Join(i.dir, ".frontdesk"))
	if err != nil {
		return err
	}
	signer, err := testworld.Signer(info.Application.KID, info.Application.PrivateKeyFile)
	if err != nil {
		return err
	}
	c, err := client.New(client.Options{BaseURL: info.APIURL, Application: info.Application.ID.String(), Signer: signer, Attempts: 1})
	if err != nil {
		return err
	}
	_, err = c.Ping(i.t.Context())
	return err
}

// wantOnlyPort looks for anything else of the container that the network reaches, for another name of the service,
// and for a volume.
func (i *image) wantOnlyPort() {
	i.t.Helper()
	address := strings.TrimSpace(i.run("podman inspect --format '{{.NetworkSettings.IPAddress}}' sandbox"))
	for port := 1; port < 1<<16; port++ {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, strconv.Itoa(port)), time.Minute)
		if err == nil {
			_ = conn.Close()
		}
		if reached := err == nil; reached != (port == 8080) {
			i.t.Errorf("port %d of the container is reached: %t", port, reached)
		}
	}
	if status, _ := fetched(i.t, "http://"+address+":8080/docs/application-key.pem"); status == http.StatusOK {
		i.t.Error("it gives the key at a name that is not its own")
	}
	if volumes := strings.TrimSpace(i.run("podman inspect --format '{{len .Mounts}} {{.Config.User}}' sandbox")); volumes != "0 postgres" {
		i.t.Errorf("its volumes and user are %s", volumes)
	}
}

// wantCause has a practice of its own refuse a call.
func (i *image) wantCause() {
	i.t.Helper()
	said := i.run(`frontdesk sandbox body closed | curl -sS http://closed.localhost:8080/transactional-api/create-patient-request \
  -H "$(frontdesk token mint --curl)" -H 'Content-Type: application/json' --data-binary @-`)
	if !strings.Contains(said, `-closed"`) {
		i.t.Errorf("the practice that is closed answers %s", said)
	}
}

// receives types lines that have the sandbox send a webhook to a receiver of the machine, and waits for it.
func (i *image) receives(lines string) {
	i.t.Helper()
	came := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r.Header.Get("Content-Type") }))
	defer receiver.Close()
	i.run(strings.ReplaceAll(lines, "http://127.0.0.1:3000", receiver.URL))
	select {
	case media := <-came:
		if media != "application/jwt" {
			i.t.Errorf("it received %s", media)
		}
	case <-time.After(time.Minute):
		i.t.Error("no webhook came")
	}
}

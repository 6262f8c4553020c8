package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/dev"
	"frontdesk/cmd/frontdesk/testworld"
)

// codeBase is a developer's directory, with a frontdesk dev that runs as a process of its
// own, and a program that receives webhooks.
type codeBase struct {
	t       *testing.T
	binary  string
	dir     string
	sandbox string // directory
	hook    string // address of the program
	process *exec.Cmd
	exited  chan error
	said    *os.File

	mu   sync.Mutex
	came []hooked
}

// hooked is a webhook as the program gets it.
type hooked struct {
	Header http.Header
	Body   string
}

// newCodeBase is a code base with a sandbox in another directory.
func newCodeBase(t *testing.T, sandbox string) *codeBase {
	t.Helper()
	c := &codeBase{t: t, binary: testworld.Binary(t), dir: filepath.Join(t.TempDir(), "triage helper"), sandbox: sandbox}
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.came = append(c.came, hooked{r.Header, string(body)})
	}))
	t.Cleanup(program.Close)
	c.hook = program.URL + "/hook"
	t.Cleanup(func() { _ = c.stop() })
	return c
}

// start starts frontdesk dev, and waits until it is ready.
func (c *codeBase) start(args ...string) dev.Running {
	c.t.Helper()
	var err error
	if c.said, err = os.Create(filepath.Join(c.t.TempDir(), "said")); err != nil {
		c.t.Fatal(err)
	}
	c.process = c.command(context.WithoutCancel(c.t.Context()), append([]string{"dev", "--dir", c.sandbox, "--listen=127.0.0.1:0", "--forward-to", c.hook}, args...)...)
	c.process.Stdout, c.process.Stderr = c.said, c.said
	if err := c.process.Start(); err != nil {
		c.t.Fatal(err)
	}
	process, exited := c.process, make(chan error, 1)
	go func() { exited <- process.Wait() }()
	c.exited = exited
	var running dev.Running
	waitFor(c.t, func() bool {
		if len(exited) > 0 {
			c.t.Fatalf("frontdesk dev has exited: %s", c.output())
		}
		running, err = dev.Find(filepath.Join(c.dir, ".frontdesk-dev"))
		return err == nil && strings.Contains(c.output(), "frontdesk dev is ready")
	})
	return running
}

// command is the program in the code base.
func (c *codeBase) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, c.binary, args...)
	command.Dir = c.dir
	return command
}

// run runs another command there and returns its two output streams.
func (c *codeBase) run(args ...string) (out, complaints string) {
	c.t.Helper()
	var err bytes.Buffer
	command := c.command(c.t.Context(), args...)
	command.Stderr = &err
	printed, failed := command.Output()
	if failed != nil {
		c.t.Fatalf("%v: %v: %s", args, failed, &err)
	}
	return string(printed), err.String()
}

func (c *codeBase) stop() error {
	if c.process == nil {
		return nil
	}
	_ = c.process.Process.Signal(syscall.SIGINT)
	c.process = nil
	return <-c.exited
}

// output is all output of dev.
func (c *codeBase) output() string {
	c.t.Helper()
	said, err := os.ReadFile(c.said.Name())
	if err != nil {
		c.t.Fatal(err)
	}
	return string(said)
}

// until waits until dev has printed a text that many times.
func (c *codeBase) until(text string, times int) {
	c.t.Helper()
	waitFor(c.t, func() bool {
		if len(c.exited) > 0 {
			c.t.Fatalf("frontdesk dev has exited, and has not said %q: %s", text, c.output())
		}
		return strings.Count(c.output(), text) >= times
	})
}

// takes waits until the program has that many webhooks, and returns them.
func (c *codeBase) takes(n int) (all []hooked) {
	c.t.Helper()
	waitFor(c.t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		all = append(all[:0], c.came...)
		return len(all) >= n
	})
	return all
}

// errNotAnswered is an answer other than 200.
var errNotAnswered = errors.New("not answered")

// ping calls with a token that was minted in the code base, and returns the caller's identity
// according to the service.
func (c *codeBase) ping(api string, mint ...string) (application, username string, err error) {
	c.t.Helper()
	token, _ := c.run(append([]string{"token", "mint"}, mint...)...)
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, api+"/transactional-api/ping", http.NoBody)
	if err != nil {
		return "", "", err
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", "", err
	}
	defer answer.Body.Close()
	var who struct{ ApplicationID, Username string }
	if err := json.NewDecoder(answer.Body).Decode(&who); err != nil || answer.StatusCode != http.StatusOK {
		return "", "", errors.Join(errNotAnswered, err)
	}
	return who.ApplicationID, who.Username, nil
}

// wantPing fails unless the code base's application is answered.
func (c *codeBase) wantPing(running dev.Running, mint ...string) (username string) {
	c.t.Helper()
	who, username, err := c.ping(running.APIURL, mint...)
	if err != nil || who != running.Application.ID.String() {
		c.t.Errorf("minted with %v, it is %q that calls, not %s: %v", mint, who, running.Application.ID, err)
	}
	return username
}

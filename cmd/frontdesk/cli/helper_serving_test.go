package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/cmd/frontdesk/cli"
)

// serving serves until the test ends.
func serving(t *testing.T, args ...string) *logLines {
	t.Helper()
	said := &logLines{}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	args = append([]string{"serve", "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example", "--drain-delay=0"}, args...)
	running.Go(func() {
		if status := cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: said}); status != 0 {
			t.Errorf("serve ends with status %d", status)
		}
	})
	said.stop = func() { stop(); running.Wait() }
	t.Cleanup(said.stop)
	return said
}

// logLines are what a program logs.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
	stop func() // ends the program, and waits for that
}

// Write keeps what the program logs.
func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all lines so far.
func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// calls returns the lines of calls, by the ids of these, and ends the program: a line comes
// behind its answer.
func (l *logLines) calls(t *testing.T) map[string]map[string]any {
	t.Helper()
	l.stop()
	found := map[string]map[string]any{}
	for line := range strings.Lines(l.String()) {
		var said map[string]any
		must(t, json.Unmarshal([]byte(line), &said))
		if said["msg"] == "call" {
			found[said["request_id"].(string)] = said
		}
	}
	return found
}

// line returns the first line with a message, once it is there.
func (l *logLines) line(t *testing.T, message string) map[string]any {
	t.Helper()
	for {
		text := l.String()
		for line := range strings.Lines(text) {
			var said map[string]any
			if json.Unmarshal([]byte(line), &said) == nil && said["msg"] == message {
				return said
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("it does not say %q:\n%s", message, text)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// checkServing runs serve --check on a database.
func checkServing(t *testing.T, url string, args ...string) outcome {
	t.Helper()
	return frontdesk(t, append([]string{"serve", "--check", "--database-url", url, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0",
		"--api-domain=api.example", "--auth-url=https://auth.example"}, args...)...)
}

// checks returns what serve --check says of each thing: how it is, and more.
func (o outcome) checks() map[string]string {
	_, lines, _ := strings.Cut(o.out, "\n\n")
	said := map[string]string{}
	for line := range strings.Lines(lines) {
		if parts := cells.Split(strings.TrimSpace(line), 3); len(parts) == 3 {
			said[parts[1]] = parts[0] + ": " + parts[2]
		}
	}
	return said
}

// serveNowhere is a serve that finds no database, which it says at once.
func serveNowhere(t *testing.T, args ...string) outcome {
	t.Helper()
	nowhere := "postgres://frontdesk_app:geheim@/x?host=" + t.TempDir()
	return frontdesk(t, append([]string{"serve", "--check", "--database-url", nowhere}, args...)...)
}

// configuration returns what serve --check says of each flag: what holds, and who says so.
func (o outcome) configuration() map[string]string {
	flags, _, _ := strings.Cut(o.out, "\n\n")
	said := map[string]string{}
	for line := range strings.Lines(flags) {
		if parts := cells.Split(strings.TrimSpace(line), 3); len(parts) == 3 {
			said[parts[0]] = parts[1] + " by " + parts[2]
		}
	}
	return said
}

var cells = regexp.MustCompile(` {2,}`)

// settingsFile writes a file that its owner alone may read.
func settingsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "frontdesk.yaml")
	must(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

package clitest

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

// Serving serves until the test ends.
func Serving(t *testing.T, args ...string) *LogLines {
	t.Helper()
	said := &LogLines{}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	args = append([]string{"serve", "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example", "--drain-delay=0"}, args...)
	running.Go(func() {
		if status := cli.Main(ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: said}); status != 0 {
			t.Errorf("serve ends with status %d:\n%s", status, said)
		}
	})
	said.stop = func() { stop(); running.Wait() }
	t.Cleanup(said.stop)
	return said
}

// LogLines are the log lines of a program.
type LogLines struct {
	mu   sync.Mutex
	text bytes.Buffer
	stop func() // ends the program, and waits for that
}

// Write keeps lines of the log.
func (l *LogLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all lines so far.
func (l *LogLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Calls returns the lines of calls, by the ids of these, and ends the program: a line comes
// behind its answer.
func (l *LogLines) Calls(t *testing.T) map[string]map[string]any {
	t.Helper()
	l.stop()
	found := map[string]map[string]any{}
	for line := range strings.Lines(l.String()) {
		var said map[string]any
		Must(t, json.Unmarshal([]byte(line), &said))
		if said["msg"] == "call" {
			found[said["request_id"].(string)] = said
		}
	}
	return found
}

// Line returns the first line with a message, once it is there.
func (l *LogLines) Line(t *testing.T, message string) map[string]any {
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

// CheckServing runs serve --check on a database.
func CheckServing(t *testing.T, url string, args ...string) Outcome {
	t.Helper()
	return Frontdesk(t, append([]string{"serve", "--check", "--database-url", url, "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0",
		"--api-domain=api.example", "--auth-url=https://auth.example"}, args...)...)
}

// Checks returns the findings of serve --check: the state of each thing, and more.
func (o Outcome) Checks() map[string]string {
	_, lines, _ := strings.Cut(o.Out, "\n\n")
	said := map[string]string{}
	for line := range strings.Lines(lines) {
		if parts := cells.Split(strings.TrimSpace(line), 3); len(parts) == 3 {
			said[parts[1]] = parts[0] + ": " + parts[2]
		}
	}
	return said
}

// ServeNowhere is a serve that finds no database and fails at once.
func ServeNowhere(t *testing.T, args ...string) Outcome {
	t.Helper()
	nowhere := "postgres://frontdesk_app:geheim@/x?host=" + t.TempDir()
	return Frontdesk(t, append([]string{"serve", "--check", "--database-url", nowhere}, args...)...)
}

// Configuration returns the flags as serve --check prints them: value and source.
func (o Outcome) Configuration() map[string]string {
	flags, _, _ := strings.Cut(o.Out, "\n\n")
	said := map[string]string{}
	for line := range strings.Lines(flags) {
		if parts := cells.Split(strings.TrimSpace(line), 3); len(parts) == 3 {
			said[parts[0]] = parts[1] + " by " + parts[2]
		}
	}
	return said
}

var cells = regexp.MustCompile(` {2,}`)

// SettingsFile writes a file that only its owner may read.
func SettingsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "frontdesk.yaml")
	Must(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

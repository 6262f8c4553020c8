package dev

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/durable"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
)

func TestADirectoryIsForOneDevAlone_D97(t *testing.T) {
	t.Parallel()
	h := newDir(t)
	if _, err := openDir(h.dir); !errors.Is(err, durable.ErrInUse) || !strings.Contains(err.Error(), "starting") {
		t.Errorf("a second one: %v", err)
	}
	h.announce(t, os.Getpid())
	if _, err := openDir(h.dir); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1/?key=k") {
		t.Errorf("a second one: %v", err)
	}
}

// announce writes a dev.json.
func (h *keyDir) announce(t *testing.T, process int) {
	t.Helper()
	content, err := json.Marshal(Running{PageURL: "http://127.0.0.1:1/?key=k", Process: process})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(runningName, content); err != nil {
		t.Fatal(err)
	}
}

func TestADevThatWasKilledIsNotFound_D97(t *testing.T) {
	t.Parallel()
	h := newDir(t)
	gone := exec.CommandContext(t.Context(), "true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(h.dir); !errors.Is(err, ErrNone) {
		t.Errorf("without a dev.json: %v", err)
	}
	h.announce(t, gone.Process.Pid)
	if _, err := Find(h.dir); !errors.Is(err, ErrNone) {
		t.Errorf("with that of a process that is gone: %v", err)
	}
	h.announce(t, os.Getpid())
	if found, err := Find(h.dir); err != nil || found.Process != os.Getpid() {
		t.Errorf("with that of one that runs: %+v, %v", found, err)
	}
}

// Another dev may have begun in the directory that was removed.
func TestARemovedDirectoryThatIsTakenIsGivenUp_D97(t *testing.T) {
	t.Parallel()
	h, err := openDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(h.dir); err != nil {
		t.Fatal(err)
	}
	other, err := openDir(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	other.announce(t, os.Getpid())
	if restored, err := h.restore(); restored || err == nil {
		t.Errorf("while another dev is there: %v, %v", restored, err)
	}
	h.close()
	if _, err := Find(other.dir); err != nil {
		t.Errorf("its end is that of the other one: %v", err)
	}
}

func TestTheUsualPortGivesWayAndAChosenOneDoesNot_D97(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	if got, moved, err := choose(t.Context(), "", address); got != "127.0.0.1:0" || !moved || err != nil {
		t.Errorf("the usual port is taken: %s, %v, %v", got, moved, err)
	}
	if got, moved, err := choose(t.Context(), address, DefaultListen); got != address || moved || err != nil {
		t.Errorf("the chosen port is taken: %s, %v, %v", got, moved, err) // the listener there reports that
	}
	for _, open := range []string{"0.0.0.0:1", ":1", "192.0.2.1:1", "127.0.0.1"} {
		if _, _, err := choose(t.Context(), open, DefaultListen); err == nil {
			t.Errorf("%s is no loopback address", open)
		}
	}
}

// A browser is started with an address that leads to the page once.
func TestABrowserIsOpened_D97(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf %s \"$1\" > " + filepath.Join(dir, "new") + " && mv " + filepath.Join(dir, "new") + " " + filepath.Join(dir, "opened") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	site := &page.Site{Address: "127.0.0.1:1", Key: "the key"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := browse(ctx, site.URLOnce("once")); err != nil {
		t.Fatal(err)
	}
	clocktest.Eventually(t, func() bool {
		opened, err := os.ReadFile(filepath.Join(dir, "opened"))
		return err == nil && string(opened) == "http://127.0.0.1:1/?key=once"
	}, "the page's address to be opened")
	t.Setenv("PATH", t.TempDir())
	if err := browse(ctx, "x"); !errors.Is(err, errNoBrowser) {
		t.Errorf("without a browser: %v", err)
	}
}

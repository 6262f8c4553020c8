package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// movedBy names the variable that says by how many seconds time is moved. It is
// libfaketime's, which the replaced package time reads as well.
const movedBy = "FAKETIME"

// moved is added to package time.
//
//go:embed moved.go.txt
var moved []byte

const (
	readsClock = "\tsec, nsec, mono := runtimeNow()\n"
	movesClock = readsClock + "\tif !runtimeIsBubbled() {\n\t\tsec += moved\n\t}\n"
)

// overlay writes a package time whose Now can be moved into a directory, and returns the
// file that has Go build with it. The monotonic clock and the clock of a synctest bubble
// stay as they are.
func overlay(dir string) (string, error) {
	original := filepath.Join(runtime.GOROOT(), "src", "time", "time.go") //nolint:staticcheck // this program runs where it was built
	source, err := os.ReadFile(original)
	if err != nil {
		return "", fmt.Errorf("read Go's package time: %w", err)
	}
	if bytes.Count(source, []byte(readsClock)) != 1 {
		return "", fmt.Errorf("%s does not read the clock as expected: look at time.Now there", original)
	}
	files := map[string][]byte{
		original: bytes.Replace(source, []byte(readsClock), []byte(movesClock), 1),
		filepath.Join(filepath.Dir(original), "moved.go"): moved,
	}
	replaced := map[string]string{}
	for at, content := range files {
		to := filepath.Join(dir, filepath.Base(at))
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return "", fmt.Errorf("write package time: %w", err)
		}
		replaced[at] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", fmt.Errorf("list what Go replaces: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list, 0o644); err != nil {
		return "", fmt.Errorf("list what Go replaces: %w", err)
	}
	return path, nil
}

// library returns libfaketime, which moves the time of programs that are not Go's.
func library() (string, error) {
	found, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, errors.New("libfaketime is missing: run make deps"))
	}
	return found[0], nil
}

// wrapped writes scripts that start Postgres, Node.js and Python with libfaketime into a
// directory. The offset and the time zone are in the scripts, because Postgres starts with an
// environment of its own.
func wrapped(dir, offset string) error {
	preload, err := library()
	if err != nil {
		return err
	}
	programs, err := postgres()
	if err != nil {
		return err
	}
	for _, name := range []string{"node", "python3"} {
		if path, err := exec.LookPath(name); err == nil {
			programs = append(programs, path)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of programs: %w", err)
	}
	for _, program := range programs {
		lines := []string{"#!/bin/sh", "export LD_PRELOAD=" + preload + " NO_FAKE_STAT=1 FAKETIME_DONT_FAKE_MONOTONIC=1 " + movedBy + "=" + offset}
		if zone := os.Getenv("TZ"); zone != "" {
			lines = append(lines, "export TZ="+zone)
		}
		lines = append(lines, `exec `+program+` "$@"`, "")
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(program)), []byte(strings.Join(lines, "\n")), 0o755); err != nil {
			return fmt.Errorf("write the script of %s: %w", program, err)
		}
	}
	return nil
}

// postgres returns the programs of the newest Postgres.
func postgres() ([]string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, missing := exec.LookPath("initdb"); missing == nil {
		found, err = []string{path}, nil
	}
	if err != nil || len(found) == 0 {
		return nil, errors.Join(err, errors.New("Postgres is missing: run make deps"))
	}
	newest, err := filepath.EvalSymlinks(slices.Max(found)) // of two digits each
	if err != nil {
		return nil, fmt.Errorf("find Postgres: %w", err)
	}
	bin := filepath.Dir(newest)
	return []string{filepath.Join(bin, "initdb"), filepath.Join(bin, "pg_ctl"), filepath.Join(bin, "postgres")}, nil
}

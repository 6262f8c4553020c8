package main

import (
	"bytes"
	"context"
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

// movedBy names the variable with the offset of time in seconds, as "+3600".
const movedBy = "TEST_CLOCK_AHEAD"

var (
	// moved is added to package time.
	//
	//go:embed moved.go.txt
	moved []byte

	// movedC moves the time of programs that are not Go's. libfaketime does not move it in
	// handlers of signals, so no timeout of Postgres would fire.
	//
	//go:embed moved.c.txt
	movedC []byte
)

const (
	readsClock = "\tsec, nsec, mono := runtimeNow()\n"
	movesClock = readsClock + "\tif !runtimeIsBubbled() {\n\t\tsec += moved\n\t}\n"
)

// overlay writes a package time whose Now can be moved into a directory, and returns the file that
// makes Go build with it. The monotonic clock and the clock of a synctest bubble are unchanged.
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

// preload is the file name of the library that moves the time of programs that are not Go's.
const preload = "moved.so"

// compile compiles movedC into a directory.
func compile(ctx context.Context, dir string) error {
	compiler := exec.CommandContext(ctx, "cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-x", "c", "-o", filepath.Join(dir, preload), "-")
	compiler.Stdin = bytes.NewReader(movedC)
	if said, err := compiler.CombinedOutput(); err != nil {
		return fmt.Errorf("compile what moves the time, with the C compiler of make deps: %w: %s", err, said)
	}
	return nil
}

// wrapped writes scripts that start Postgres, Node.js and Python at another time into a
// directory next to the compiled library. The offset and the time zone are in the scripts,
// because Postgres starts with an environment of its own.
func wrapped(dir, offset string) error {
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
		lines := []string{"#!/bin/sh", "export LD_PRELOAD=" + filepath.Join(filepath.Dir(dir), preload) + " " + movedBy + "=" + offset}
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

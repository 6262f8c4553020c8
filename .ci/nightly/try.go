package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/.ci/proofs"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
)

// logs is where the binaries of tests and the outputs of proofs are kept.
const logs = ".frontdesk/nightly"

// A proof that runs for longer has failed.
const (
	longestOfNight   = 15 * time.Minute
	longestOfRelease = 2 * time.Hour
)

// How long a fuzz target runs.
const (
	fuzzedInNight    = 10 * time.Second
	fuzzedForRelease = 10 * time.Minute
)

// built is the binary of a package's tests.
type built struct {
	binary, commit string
	output         []byte // of the compiler
	err            error
}

// try runs a proof. The error is one of this command; the proof's failure is in the row.
func (n *night) try(ctx context.Context, p proofs.Proof) (proofs.Row, error) {
	b, err := n.build(ctx, p)
	if err != nil {
		return proofs.Row{}, err
	}
	row := proofs.Row{Proof: p, Commit: b.commit, Result: "failed: it does not compile"}
	watch := clock.Start()
	if b.err == nil {
		output, err := n.execute(ctx, p, b)
		if err != nil {
			return proofs.Row{}, err
		}
		row.Tried, row.Result = judge(p, output)
	}
	row.At, row.Seconds = clock.System(), int(watch.Elapsed().Round(time.Second).Seconds())
	return row, nil
}

// build compiles the tests of a package, once. Go compiles those of a fuzz target when it
// runs it.
func (n *night) build(ctx context.Context, p proofs.Proof) (built, error) {
	if b, is := n.built[p.Folder]; is {
		return b, nil
	}
	commit, err := proofs.Commit(ctx, n.root)
	if err != nil {
		return built{}, err
	}
	dir, err := filepath.Abs(filepath.Join(n.root, logs))
	if err != nil {
		return built{}, fmt.Errorf("find the folder of the clone: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return built{}, fmt.Errorf("make the folder for the outputs: %w", err)
	}
	if p.Fuzzes() {
		return built{commit: commit}, nil
	}
	b := built{binary: filepath.Join(dir, strings.ReplaceAll(p.Folder, "/", "-")+".test"), commit: commit}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-tags", "prove", "-o", b.binary, "./"+p.Folder)
	compile.Dir = n.root
	if b.output, b.err = compile.CombinedOutput(); b.err != nil {
		n.printf("%s", b.output)
	}
	n.built[p.Folder] = b
	return b, nil
}

// execute returns the output of a proof, and keeps it in a file. Afterwards all processes of the
// proof have ended, and its temporary files are gone.
func (n *night) execute(ctx context.Context, p proofs.Proof, b built) (output string, err error) {
	scratch, err := os.MkdirTemp("", "nightly")
	if err != nil {
		return "", fmt.Errorf("make a folder for temporary files: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := os.Chmod(scratch, 0o755); err != nil { // Postgres runs as another user
		return "", fmt.Errorf("open the folder for temporary files: %w", err)
	}
	name := filepath.Join(n.root, logs, strings.ReplaceAll(p.Folder, "/", "-")+"."+p.Name+".log")
	file, err := os.Create(name)
	if err != nil {
		return "", fmt.Errorf("keep what a proof prints: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	longest := pick(n.long, longestOfNight, longestOfRelease)
	ctx, cancel := context.WithTimeout(ctx, longest+time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, b.binary, "-test.run", "^"+p.Name+"$", "-test.v", "-test.timeout", longest.String())
	if p.Fuzzes() {
		command = exec.CommandContext(ctx, "go", "test", "-tags", "prove", "-run", "^$", "-fuzz", "^"+p.Name+"$",
			"-fuzztime", pick(n.long, fuzzedInNight, fuzzedForRelease).String(), "-fuzzminimizetime", "10x", ".")
	}
	command.Dir = filepath.Join(n.root, p.Folder)
	command.Env = append(os.Environ(), "TMPDIR="+scratch, provetest.Variable+"="+pick(n.long, "", provetest.Long))
	command.Stdout, command.Stderr = file, file
	if err := adopt(); err != nil {
		return "", err
	}
	status := runAsInit(command)
	if err := endAll(); err != nil {
		return "", err
	}
	printed, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read what a proof printed: %w", err)
	}
	if status != nil {
		printed = fmt.Appendf(printed, "\n%s %v\n", ended, status)
	}
	return string(printed), nil
}

func pick[T any](long bool, night, release T) T {
	if long {
		return release
	}
	return night
}

// Command release writes the archive for installing frontdesk without a clone: the program, the
// pages for operators with all files that they link to, units of systemd, manifests for
// Kubernetes, the licences of all modules and a bill of materials. It signs the checksums as a
// note (c2sp.org/signed-note). Run it as `make release`.
//
// The same commit makes the same bytes, wherever it is checked out: names are sorted, every file
// has the commit's time, and the program contains no path. Only the program is generated, so every
// other file can be compared with the clone.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

const usage = `Release writes an archive of the commit that is checked out, its bill of materials, and their
SHA256SUMS, which it also signs as a note.

Options:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	dir := flags.String("out", ".frontdesk/release", "the `folder` that the archive is written to")
	arch := flags.String("arch", runtime.GOARCH, "the `architecture` that the program is for, as Go names it")
	unproved := flags.Bool("unproved", false, "also if docs/contribute/nightly.md does not show that all proofs hold, or the commit has no tag: to try the archive out")
	key := flags.String("key", "", "the `file` with the key that signs releases")
	whole := flags.Bool("kit", false, "only write what integrators download: the program for six platforms, and the packages")
	host := flags.String("host", placeholder, "the `host` that publishes the packages of the kit, maybe with a path")
	programs := flags.String("platforms", strings.Join(platforms, ","), "the `platforms` that the program of the kit is for; none if it is empty")
	made := flags.String("make-key", "", "only write a new key that signs releases to this `file`, and print its verifier key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not an option: run it in the clone", flags.Arg(0))
	}
	if *made != "" {
		verifier, err := makeKey(*made)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, verifier)
		return err
	}
	if *whole {
		k, err := newKit(ctx, *dir, *host)
		if err != nil {
			return err
		}
		return k.write(ctx, strings.FieldsFunc(*programs, func(r rune) bool { return r == ',' }))
	}
	signer, err := signerFor(*key, *unproved)
	if err != nil {
		return err
	}
	if !*unproved {
		if err := errors.Join(tagged(ctx, "."), proved(ctx, ".")); err != nil {
			return err
		}
	}
	name, err := release(ctx, *dir, *arch)
	if err != nil {
		return err
	}
	if signer != nil {
		if err := sign(*dir, signer); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, name)
	return err
}

// signerFor returns the key in a file. Only an archive that is not a release may go without.
func signerFor(key string, unproved bool) (note.Signer, error) {
	switch {
	case key != "":
		page, err := os.ReadFile(keyPage)
		if err != nil {
			return nil, fmt.Errorf("read the verifier key: %w", err)
		}
		return signerOf(key, string(page))
	case !unproved:
		return nil, errors.New("a release is signed: name the file with its key by -key")
	}
	return nil, nil
}

// release returns the name of the archive that it has written.
func release(ctx context.Context, dir, arch string) (name string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the folder for the archive: %w", err)
	}
	program := filepath.Join(dir, "frontdesk")
	if err := compile(ctx, program, "linux", arch); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(program)) }()
	build, made, err := builtOf(program)
	if err != nil {
		return "", err
	}
	tracked, err := clone(ctx)
	if err != nil {
		return "", err
	}
	pages, err := closure(tracked)
	if err != nil {
		return "", err
	}
	folder := fmt.Sprintf("frontdesk-%s-linux-%s", build.Main.Version, arch)
	bill := folder + ".cdx.json"
	listed, err := materials(build, made)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, bill), listed, 0o644); err != nil {
		return "", fmt.Errorf("write the bill of materials: %w", err)
	}
	terms, err := licences(ctx, build.Deps)
	if err != nil {
		return "", err
	}
	files := append(append(pages, terms...), file{"frontdesk", program, 0o755}, file{"frontdesk.cdx.json", filepath.Join(dir, bill), 0o644})
	archived, err := pack(folder, made, files)
	if err != nil {
		return "", err
	}
	archive := filepath.Join(dir, folder+".tar.gz")
	if err := os.WriteFile(archive, archived, 0o644); err != nil {
		return "", fmt.Errorf("write the archive: %w", err)
	}
	return archive, sum(dir, folder+".tar.gz", bill)
}

// compile builds the program so that it runs on any machine of a system, whatever its C library is.
func compile(ctx context.Context, program, system, arch string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s", "-o", program, "./cmd/frontdesk")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w: %s", err, bytes.TrimSpace(said))
	}
	return nil
}

// builtOf returns what Go has written into the program, and the time of its commit.
func builtOf(program string) (build *debug.BuildInfo, made time.Time, err error) {
	build, err = buildinfo.ReadFile(program)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read what the program was built of: %w", err)
	}
	made, err = time.Parse(time.RFC3339, setting(build, "vcs.time"))
	if err != nil {
		return nil, time.Time{}, errors.New("the program does not know its commit: build it in a clone, because Go knows no worktrees of git")
	}
	return build, made, nil
}

func setting(build *debug.BuildInfo, key string) string {
	for _, s := range build.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// clone lists the files of the commit, and those that are about to be committed.
func clone(ctx context.Context) ([]string, error) {
	said, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the clone: %w", err)
	}
	return strings.Split(strings.TrimRight(string(said), "\x00"), "\x00"), nil
}

// sum writes the checksums of files in a folder, in the form of sha256sum.
func sum(dir string, names ...string) error {
	var sums strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("read a file of the release: %w", err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(sums.String()), 0o644)
}

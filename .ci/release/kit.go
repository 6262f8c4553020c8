package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// platforms are those of the kit's programs. The tests run only on Linux; for the others, the program is compiled and vetted.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// placeholder is the host in the clone, of a reserved domain (RFC 2606).
const placeholder = "frontdesk.example"

// kit is all that an integrator downloads. Each of its archives is made of the files of the commit.
type kit struct {
	out     string // the folder that it is written to
	host    string // publishes the packages; it takes the placeholder's place in their files
	version string
	made    time.Time // of the commit, and of all files in the archives
	tracked []string
}

// newKit begins the kit of the commit.
func newKit(ctx context.Context, out, host string) (k kit, err error) {
	if host == "" || strings.ContainsAny(host, " \\\"'") || !strings.Contains(strings.Split(host, "/")[0], ".") {
		return k, fmt.Errorf("%q is no host with a dot in its name, such as code.example.org/frontdesk", host)
	}
	version, err := os.ReadFile("VERSION")
	if err != nil {
		return k, fmt.Errorf("read the version: %w", err)
	}
	said, err := command(ctx, ".", nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return k, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(said), 10, 64)
	if err != nil {
		return k, fmt.Errorf("read the commit's time: %w", err)
	}
	tracked, err := clone(ctx)
	if err != nil {
		return k, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return k, err
	}
	return kit{out, host, strings.TrimSpace(string(version)), time.Unix(seconds, 0).UTC(), tracked}, begin(out)
}

// begin makes the folder of a kit. It refuses one with files, which would seem to be of the kit.
func begin(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the kit's folder: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("look into the kit's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name another folder with -out", folder)
	}
	return nil
}

// write writes the packages, and the program for each of the platforms, with the checksums of all.
func (k kit) write(ctx context.Context, platforms []string) error {
	steps := []func(context.Context) error{k.npm, k.python, k.golang}
	for _, platform := range platforms {
		steps = append(steps, func(ctx context.Context) error { return k.program(ctx, platform) })
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	var names []string
	err := filepath.WalkDir(k.out, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != sumsName {
			inside, failure := filepath.Rel(k.out, name)
			names, err = append(names, filepath.ToSlash(inside)), failure
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list the kit: %w", err)
	}
	return sum(k.out, names...)
}

// program archives the program for one platform, with the terms of all that is in it.
func (k kit) program(ctx context.Context, platform string) (err error) {
	system, arch, _ := strings.Cut(platform, "/")
	name := "frontdesk"
	if system == "windows" {
		name += ".exe"
	}
	dir, err := os.MkdirTemp("", "frontdesk-kit-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, name)
	if err := compile(ctx, program, system, arch); err != nil {
		return err
	}
	build, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read what the program was built of: %w", err)
	}
	terms, err := licences(ctx, build.Deps)
	if err != nil {
		return err
	}
	folder := fmt.Sprintf("frontdesk-%s-%s-%s", k.version, system, arch)
	return k.archive(folder, append(terms, file{name, program, 0o755}, file{"LICENSE", "LICENSE", 0o644}))
}

// archive writes one below the kit's folder.
func (k kit) archive(folder string, files []file) error {
	archived, err := pack(folder, k.made, files)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(k.out, folder+".tar.gz"), archived, 0o644)
}

// links lead from a page to a page of the clone, which a package has not.
var links = regexp.MustCompile(`\[([^\]]*)\]\(\.\./[^)]*\)`)

// copyOf copies the tracked files of a client's folder, and the licence, to a new folder. The
// host takes the placeholder's place in them. Links to pages of the clone become their text.
func (k kit) copyOf(folder string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "frontdesk-kit-")
	if err != nil {
		return "", err
	}
	from := map[string]string{"LICENSE": "LICENSE"}
	for _, name := range k.tracked {
		if inside, ok := strings.CutPrefix(name, folder+"/"); ok {
			from[inside] = name
		}
	}
	for name, source := range from {
		content, err := os.ReadFile(source)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is about to be removed from the clone
		}
		if err != nil {
			return "", err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if path.Ext(name) == ".md" {
			content = links.ReplaceAll(content, []byte("$1"))
		}
		if err := os.WriteFile(to, bytes.ReplaceAll(content, []byte(placeholder), []byte(k.host)), 0o644); err != nil {
			return "", err
		}
		if err := os.Chtimes(to, k.made, k.made); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// command runs a program of the machine in a folder.
func command(ctx context.Context, dir string, environment []string, program string, args ...string) (said string, err error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	var out, failure bytes.Buffer
	c.Stdout, c.Stderr = &out, &failure
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s%s", path.Base(program), err, &out, bytes.TrimSpace(failure.Bytes()))
	}
	return out.String(), nil
}

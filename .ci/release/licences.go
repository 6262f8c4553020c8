package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// licence matches the names of files with the terms of a module, and its notices.
var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licences returns the files with the terms of all modules in the program, and those of Go's
// standard library. It is an error if a module has none.
func licences(ctx context.Context, modules []*debug.Module) (files []file, err error) {
	dirs, err := dirsOf(ctx, modules)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		if isOwn(m) {
			continue // LICENSE at the top
		}
		found, err := termsIn(dirs[m.Path], path.Join("licences", m.Path+"@"+m.Version))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no file with its licence", m.Path)
		}
		files = append(files, found...)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the standard library: %w", err)
	}
	return append(files, file{"licences/std/LICENSE", filepath.Join(strings.TrimSpace(string(root)), "LICENSE"), 0o644}), nil
}

// isOwn reports whether a module is in the clone.
func isOwn(m *debug.Module) bool { return m.Replace != nil && strings.HasPrefix(m.Replace.Path, ".") }

// dirsOf returns the folder of each module by its path.
func dirsOf(ctx context.Context, modules []*debug.Module) (map[string]string, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	said, err := exec.CommandContext(ctx, "go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("find the modules: %w", err)
	}
	dirs := map[string]string{}
	for line := range bytes.Lines(said) {
		name, dir, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		dirs[name] = dir
	}
	return dirs, nil
}

// termsIn returns the files with terms in a folder and below, also those of copied code.
func termsIn(dir, below string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !licence.MatchString(entry.Name()) || filepath.Ext(name) == ".go" {
			return err
		}
		inside, err := filepath.Rel(dir, name)
		files = append(files, file{path.Join(below, filepath.ToSlash(inside)), name, 0o644})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for licences: %w", err)
	}
	return files, nil
}

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// below measures the files in a folder, committed or not.
func below(folder string) (*house, error) {
	h := newHouse()
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && ignored(entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !production(name):
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return h.add(name, source)
	})
	return h.orEmpty(err)
}

// committed measures the files of a commit. Git hands them over as an archive,
// which is read as it comes: nothing is written to the disk.
func committed(ctx context.Context, commit string) (*house, error) {
	var complaint bytes.Buffer
	git := exec.CommandContext(ctx, "git", "archive", "--format=tar", "--end-of-options", commit)
	git.Stderr = &complaint
	archive, err := git.Output()
	if err != nil && complaint.Len() > 0 {
		err = errors.New(strings.TrimSpace(complaint.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	h := newHouse()
	return h.orEmpty(h.addArchive(tar.NewReader(bytes.NewReader(archive))))
}

func (h *house) addArchive(archive *tar.Reader) error {
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg || !production(entry.Name) {
			continue
		}
		source, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		if err := h.add(entry.Name, source); err != nil {
			return err
		}
	}
}

func (h *house) orEmpty(err error) (*house, error) {
	if err == nil && len(h.files) == 0 {
		err = errors.New("there are no production Go files here: run it in the project's own folder")
	}
	return h, err
}

// production reports whether a path is that of a production Go file.
func production(name string) bool {
	for element := range strings.SplitSeq(path.Dir(name), "/") {
		if ignored(element) {
			return false
		}
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// ignored reports whether Go and this command pass a folder of this name by.
func ignored(folder string) bool {
	return folder != "." && strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") ||
		folder == "testdata" || folder == "vendor"
}

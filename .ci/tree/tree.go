// Package tree reads the project's own files, as they are now or as they were
// at a commit. The commands of .ci that count something share it.
package tree

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// At returns the files of a commit of the repository in a folder. Git's archive
// of it stays in memory.
func At(ctx context.Context, folder, commit string) (fs.FS, error) {
	var complaint bytes.Buffer
	git := exec.CommandContext(ctx, "git", "-C", folder, "archive", "--format=zip", "-0", "--end-of-options", commit)
	git.Stderr = &complaint
	archive, err := git.Output()
	if err != nil && complaint.Len() > 0 {
		err = errors.New(strings.TrimSpace(complaint.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}

// Files returns the paths of all files, in order, without those of hidden
// folders, test data and other people's packages. Of the hidden folders, .ci
// holds programs of this project: its files are included.
func Files(files fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && ignored(name, entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func ignored(name, folder string) bool {
	hidden := strings.HasPrefix(folder, ".") && name != "." && name != ".ci"
	return hidden || folder == "testdata" || folder == "node_modules" || folder == "vendor"
}

package durable

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Create writes a file to disk. It truncates an existing file, and removes the file if
// writing fails. Its name may be lost in a power failure until [Rename] or [SyncDir]
// returns.
func Create(name string, perm fs.FileMode, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 64<<10)
	if err = write(buffered); err == nil {
		err = errors.Join(buffered.Flush(), file.Chmod(perm), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// Rename renames a file, and replaces any file of the new name. Once it returns, a
// power failure does not undo it.
func Rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// Replace writes content in place of a file. Readers see the old content or the
// new one; so they do after a power failure, and the new one once Replace has
// returned. One process at a time replaces a file: it writes name.new first.
func Replace(name string, perm fs.FileMode, content []byte) error {
	err := Create(name+".new", perm, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return Rename(name+".new", name)
}

// SyncDir flushes the names in a folder to disk.
func SyncDir(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(syncNames(folder), folder.Close())
}

package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"slices"
	"time"
)

// file is a file of the archive.
type file struct {
	name string // in the archive, below its one folder
	from string // where it is read
	mode int64
}

// pack returns a compressed archive of files below one folder, all of the same time and owned by
// root.
func pack(folder string, made time.Time, files []file) ([]byte, error) {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var archived bytes.Buffer
	squeezed, err := gzip.NewWriterLevel(&archived, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("begin the archive: %w", err)
	}
	archive := tar.NewWriter(squeezed)
	for _, f := range files {
		if err := add(archive, folder, made, f); err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.name, err)
		}
	}
	if err := cmp.Or(archive.Close(), squeezed.Close()); err != nil {
		return nil, fmt.Errorf("end the archive: %w", err)
	}
	return archived.Bytes(), nil
}

func add(archive *tar.Writer, folder string, made time.Time, f file) error {
	content, err := os.ReadFile(f.from)
	if err != nil {
		return err
	}
	header := &tar.Header{
		Name: path.Join(folder, f.name), Mode: f.mode, Size: int64(len(content)), ModTime: made,
		Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = archive.Write(content)
	return err
}

package retention

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/durable"
	"frontdesk/domain/event"
	"frontdesk/domain/proof/export"
)

// manifest describes an archive, so that it can be identified.
type manifest struct {
	File   string         `json:"file"`
	Record string         `json:"record"`
	From   *time.Time     `json:"from"` // null: from the beginning
	To     time.Time      `json:"to"`   // exclusive
	Lines  int64          `json:"lines"`
	Others int64          `json:"others,omitempty"` // lines that stay, without their texts
	Hashes int64          `json:"hashes,omitempty"` // lines with only a hash, which an earlier archive has
	SHA256 event.Digest   `json:"sha256"`           // of the file
	Pieces []export.Piece `json:"pieces,omitempty"` // of trees, in the order of the file

	path string
}

func (r *Retain) manifestOf(a archive) manifest {
	m := manifest{File: a.Name + ".jsonl.gz", Record: a.Record, From: a.Since, To: a.Until.UTC()}
	m.path = filepath.Join(r.Dir, m.File)
	return m
}

// write writes the file and its manifest. Both are on disk, under their names, when it
// returns. The same lines always make the same file, so a run that was stopped here is
// simply repeated.
func (r *Retain) write(a archive, fill func(*packer) error) (manifest, error) {
	m, err := r.draft(a, fill)
	if err != nil {
		return m, err
	}
	return m, r.place(m)
}

// draft writes both under temporary names, unless another file has their names.
func (r *Retain) draft(a archive, fill func(*packer) error) (manifest, error) {
	m := r.manifestOf(a)
	sum := sha256.New()
	var packed *packer
	err := durable.Create(draftOf(m.path), 0o600, func(w io.Writer) error {
		packed = &packer{to: gzip.NewWriter(io.MultiWriter(w, sum))}
		return errors.Join(fill(packed), packed.to.Close())
	})
	if err != nil {
		return m, err
	}
	m.Lines, m.Others, m.Hashes, m.Pieces = packed.lines, packed.others, packed.hashes, packed.pieces
	m.SHA256 = event.Digest(sum.Sum(nil))
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	err = durable.Create(draftOf(m.manifestPath()), 0o600, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return m, err
	}
	if err := m.free(); err != nil {
		return m, errors.Join(err, os.Remove(draftOf(m.path)), os.Remove(draftOf(m.manifestPath())))
	}
	return m, r.pass(aside)
}

// place renames both to their names.
func (r *Retain) place(m manifest) error {
	if err := m.free(); err != nil {
		return err
	}
	if err := placed(m.path); err != nil {
		return err
	}
	if err := r.pass(written); err != nil {
		return err
	}
	if err := placed(m.manifestPath()); err != nil {
		return err
	}
	return r.pass(listed)
}

// manifestPath is the path of the manifest.
func (m manifest) manifestPath() string { return m.path + ".manifest.json" }

// written returns the file that a stopped run has written.
func (r *Retain) written(a archive) (manifest, error) {
	m := r.manifestOf(a)
	name := draftOf(m.manifestPath())
	if _, err := os.Stat(name); err != nil {
		name = m.manifestPath()
	}
	m, err := readManifest(m.path, name)
	if err != nil {
		return m, err
	}
	if m.SHA256.String() != *a.SHA256 {
		return m, fmt.Errorf("%s is not the file that was written: find the one with SHA-256 %s", m.path, *a.SHA256)
	}
	return m, r.place(m)
}

func draftOf(name string) string { return name + ".draft" }

// free returns an error if another file has the name of the archive, and leaves that
// unchanged.
func (m manifest) free() error {
	digest, err := digestOf(m.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case digest != m.SHA256:
		return fmt.Errorf("%s is there already and holds something else: put it elsewhere", m.path)
	}
	return nil
}

// placed renames a draft durably, unless that was done before.
func placed(name string) error {
	err := durable.Rename(draftOf(name), name)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(name)
		err = errors.Join(err, durable.SyncDir(filepath.Dir(name)))
	}
	return err
}

func digestOf(name string) (d event.Digest, err error) {
	file, err := os.Open(name)
	if err != nil {
		return d, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return event.Digest(sum.Sum(nil)), err
}

// check reads the file again, before the lines are dropped from the database.
func (m manifest) check() error {
	file, err := os.Open(m.path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	unpacked, err := gzip.NewReader(io.TeeReader(file, sum))
	if err != nil {
		return err
	}
	lines, err := countLines(unpacked)
	if err != nil {
		return err
	}
	if lines != m.Lines+m.Others+m.Hashes || event.Digest(sum.Sum(nil)) != m.SHA256 {
		return fmt.Errorf("%s has %d lines, and not what was written: look at its disk", m.path, lines)
	}
	return nil
}

func countLines(r io.Reader) (n int64, err error) {
	buffer := make([]byte, 64<<10)
	for {
		read, err := r.Read(buffer)
		n += int64(bytes.Count(buffer[:read], []byte("\n")))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

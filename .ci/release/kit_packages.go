package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// npm writes the archive that npm installs. Its compiler is the one of the lock file.
func (k kit) npm(ctx context.Context) (err error) {
	dir, err := k.copyOf("client/typescript")
	if err != nil {
		return fmt.Errorf("copy the client in TypeScript: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if _, err := command(ctx, dir, nil, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
		return err
	}
	_, err = command(ctx, dir, nil, "npm", "pack", "--silent", "--pack-destination", k.out)
	return err
}

// debianPython has Debian's modules, build and setuptools among them.
const debianPython = "/usr/bin/python3"

// python writes the wheel and the archive of the source that pip installs.
func (k kit) python(ctx context.Context) (err error) {
	dir, err := k.copyOf("client/python")
	if err != nil {
		return fmt.Errorf("copy the client in Python: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// A wheel of the clone is the same as one of the archive, which has no tests.
	environment := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", k.made.Unix())}
	if _, err := command(ctx, dir, environment, debianPython, "-m", "build", "--no-isolation", "--outdir", k.out); err != nil {
		return err
	}
	source := filepath.Join(k.out, "frontdesk-client-"+k.version+".tar.gz")
	return k.unmoved(source)
}

// unmoved rewrites an archive of setuptools, which has the times and the user of the build.
func (k kit) unmoved(name string) (err error) {
	dir, err := os.MkdirTemp("", "frontdesk-kit-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := strings.TrimSuffix(filepath.Base(name), ".tar.gz")
	files, err := unpack(name, folder+"/", dir)
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	return k.archive(folder, files)
}

func unpack(name, below, dir string) (files []file, err error) {
	archived, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer archived.Close()
	plain, err := gzip.NewReader(archived)
	if err != nil {
		return nil, err
	}
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		inside := strings.TrimPrefix(entry.Name, below)
		if entry.Typeflag != tar.TypeReg || !filepath.IsLocal(inside) {
			continue
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			return nil, err
		}
		from := filepath.Join(dir, fmt.Sprint(len(files)))
		if err := os.WriteFile(from, content, 0o600); err != nil {
			return nil, err
		}
		files = append(files, file{inside, from, 0o644})
	}
}

// golang writes the module in the layout that Go fetches from GOPROXY, which may be a folder.
func (k kit) golang(context.Context) (err error) {
	dir, err := k.copyOf("client/go")
	if err != nil {
		return fmt.Errorf("copy the client in Go: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m := module.Version{Path: k.host + "/client", Version: "v" + k.version}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return fmt.Errorf("name the module in Go: %w", err)
	}
	versions := filepath.Join(k.out, "go", filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.Version, k.made})
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(
		modzip.CreateFromDir(archive, m, dir), archive.Close(),
		os.WriteFile(filepath.Join(versions, m.Version+".info"), info, 0o644),
		os.WriteFile(filepath.Join(versions, m.Version+".mod"), mod, 0o644),
		os.WriteFile(filepath.Join(versions, "list"), []byte(m.Version+"\n"), 0o644),
	)
}

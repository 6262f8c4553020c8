package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goPackage is a package as `go list` describes it.
type goPackage struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string

	chosen bool // it is to be mutated
}

// workspace is the module's packages by their import paths.
type workspace map[string]*goPackage

// load lists the module's packages and marks those that the patterns name.
func load(ctx context.Context, patterns []string) (workspace, error) {
	listed, err := list(ctx, "./...")
	if err != nil {
		return nil, err
	}
	all := workspace{}
	for _, p := range listed {
		all[p.ImportPath] = p
	}
	chosen, err := list(ctx, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range chosen {
		if all[p.ImportPath] == nil {
			all[p.ImportPath] = p // one of the tools, whose folder is hidden
		}
		all[p.ImportPath].chosen = len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 && !slices.Contains(p.Imports, "testing")
	}
	return all, nil
}

func list(ctx context.Context, args ...string) (packages []*goPackage, err error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "-json"}, args...)...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
		}
		return nil, fmt.Errorf("list packages: %w", err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &goPackage{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go list prints: %w", err)
		}
		packages = append(packages, p)
	}
}

// chosen returns the packages to mutate, by their import paths.
func (w workspace) chosen() (packages []*goPackage) {
	for _, path := range slices.Sorted(maps.Keys(w)) {
		if w[path].chosen {
			packages = append(packages, w[path])
		}
	}
	return packages
}

// dependents returns packages with tests that import one, nearest first.
func (w workspace) dependents(path string) (found []string) {
	seen, ring := map[string]bool{path: true}, []string{path}
	for len(ring) > 0 {
		var next []string
		for _, importer := range slices.Sorted(maps.Keys(w)) {
			p := w[importer]
			direct := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
			if seen[importer] || !slices.ContainsFunc(ring, func(at string) bool { return slices.Contains(direct, at) }) {
				continue
			}
			next = append(next, importer)
			if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
				found = append(found, importer)
			}
		}
		for _, at := range next {
			seen[at] = true
		}
		ring = next
	}
	return found
}

// places returns every mutant of the chosen packages, of the chosen kinds.
func places(ctx context.Context, w workspace, kinds []string) (all []mutant, err error) {
	var paths []string
	for _, p := range w.chosen() {
		paths = append(paths, p.ImportPath)
	}
	if len(paths) == 0 {
		return nil, errors.New("none of these packages has tests")
	}
	deps, err := list(ctx, append([]string{"-export", "-deps"}, paths...)...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range deps {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range w.chosen() {
		sources, err := p.sources(fset, imports)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			for _, m := range s.mutants() {
				if len(kinds) == 0 || slices.Contains(kinds, m.kind) {
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// source is one file of a package, with the types of its expressions.
type source struct {
	pkg  *goPackage
	name string // relative to the command's folder
	text []byte
	file *ast.File
	fset *token.FileSet
	info *types.Info
	self *types.Package
}

// sources parses a package and finds the types of its expressions.
func (p *goPackage) sources(fset *token.FileSet, imports types.Importer) (found []*source, err error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		if !ast.IsGenerated(file) {
			found = append(found, &source{pkg: p, name: short(path), text: text, file: file, fset: fset})
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	self, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, fmt.Errorf("find the types of %s: %w", p.ImportPath, err)
	}
	for _, s := range found {
		s.info, s.self = info, self
	}
	return found, nil
}

// short returns a path relative to the folder that the command runs in.
func short(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(here, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return cmp.Or(rel, path)
}

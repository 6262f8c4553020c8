package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
)

// A house holds the counts so far. Lengths are in lines.
type house struct {
	files     []int             // the length of each file
	functions []int             // of each function and method, from func to its last bracket
	packages  map[string]*size  // by folder
	sources   map[string]string // by path
	comments  comments
	tests     tests

	headers              int // lines of package and import headers
	exported, documented int // names that other packages can use
	nilBlocks            int
	codes, filesCodes    int
}

// A size is that of a package.
type size struct{ files, lines int }

func newHouse() *house { return &house{packages: map[string]*size{}, sources: map[string]string{}} }

// code is a decision (D27) or a clause of the specification (§5.2).
var code = regexp.MustCompile(`\bD[0-9]+\b|§[0-9]+(\.[0-9]+)*`)

// add counts a production file, unless it is generated.
func (h *house) add(name string, source []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	h.addSize(path.Dir(name), bytes.Count(source, []byte("\n")))
	h.sources[name] = string(source)
	h.comments.add(source)
	h.headers += header(set, file)
	h.addCodes(file)
	for _, declaration := range file.Decls {
		h.addDeclaration(set, declaration)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if branch, ok := n.(*ast.IfStmt); ok && isErrNil(branch.Cond) {
			h.nilBlocks++
		}
		return true
	})
	return nil
}

func (h *house) addSize(folder string, lines int) {
	h.files = append(h.files, lines)
	if h.packages[folder] == nil {
		h.packages[folder] = &size{}
	}
	h.packages[folder].files++
	h.packages[folder].lines += lines
}

// header counts the lines from the package clause to the bracket that ends the
// last import; the comment above the package clause belongs to the text.
func header(set *token.FileSet, file *ast.File) int {
	end := file.Name.End()
	for _, declaration := range file.Decls {
		if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			end = d.End()
		}
	}
	return length(set, file.Package, end)
}

func length(set *token.FileSet, from, end token.Pos) int {
	return set.Position(end-1).Line - set.Position(from).Line + 1
}

func (h *house) addCodes(file *ast.File) {
	found := 0
	for _, group := range file.Comments {
		for _, comment := range group.List {
			found += len(code.FindAllString(comment.Text, -1))
		}
	}
	h.codes += found
	if found > 0 {
		h.filesCodes++
	}
}

func (h *house) addDeclaration(set *token.FileSet, declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		h.functions = append(h.functions, length(set, d.Pos(), d.End()))
		if receiverExported(d) {
			h.addName(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			h.addSpec(spec, d.Doc)
		}
	}
}

// addSpec counts names that are declared together: the comment above the
// group serves each of them.
func (h *house) addSpec(spec ast.Spec, group *ast.CommentGroup) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		h.addName(s.Name, s.Doc, s.Comment, group)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			h.addName(name, s.Doc, s.Comment, group)
		}
	}
}

func (h *house) addName(name *ast.Ident, comments ...*ast.CommentGroup) {
	if !name.IsExported() {
		return
	}
	h.exported++
	if slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil }) {
		h.documented++
	}
}

// receiverExported reports whether others can call a function: a method of an
// unexported type only answers an interface.
func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

func isErrNil(condition ast.Expr) bool {
	equal, ok := condition.(*ast.BinaryExpr)
	if !ok || equal.Op != token.EQL {
		return false
	}
	left, isName := equal.X.(*ast.Ident)
	right, isNil := equal.Y.(*ast.Ident)
	return isName && isNil && left.Name == "err" && right.Name == "nil"
}

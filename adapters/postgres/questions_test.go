package postgres_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var changes = regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE \w+ (\w+ )?SET|DELETE FROM|FOR UPDATE|nextval|set_config|record_audit_query|NOTIFY|CREATE|DROP)\b`)

// A query may be sent twice, so it must only read. Queries to a pool or in a transaction are
// sent once, and may change something.
func TestQuestionsOnlyRead_D48(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, dir := range []string{"projections", "adapters", "cmd"} {
		packages := map[string][]*ast.File{}
		root := os.DirFS(filepath.Join("..", "..", dir))
		err := fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(root, path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, files := range packages {
			asked += onlyRead(t, dir+"/"+name, files)
		}
	}
	if asked < 30 {
		t.Errorf("only %d questions were found", asked)
	}
}

// onlyRead looks at all calls x.DB.Query and x.db.QueryRow of a package, and returns
// how many they are.
func onlyRead(t *testing.T, name string, files []*ast.File) (asked int) {
	t.Helper()
	texts := map[string]string{} // of the package's declarations
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, name := range spec.Names {
					texts[name.Name] = textOf(spec.Values[i], nil)
				}
			}
			return true
		})
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isQuestion(call) {
				return true
			}
			asked++
			if sql := textOf(call.Args[1], texts); changes.MatchString(sql) {
				t.Errorf("%s queries a statement that does not only read; use Exec or InTx: %q", name, sql)
			}
			return true
		})
	}
	return asked
}

func isQuestion(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Query" && method.Sel.Name != "QueryRow" || len(call.Args) < 2 {
		return false
	}
	of, ok := method.X.(*ast.SelectorExpr)
	return ok && strings.EqualFold(of.Sel.Name, "DB")
}

// textOf is the text of an expression, as far as it is written in the package.
func textOf(e ast.Expr, texts map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		return texts[e.Name]
	case *ast.BinaryExpr:
		return textOf(e.X, texts) + textOf(e.Y, texts)
	}
	return ""
}

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// goFile returns the comments of a Go file, and the texts in it: messages, and
// the help of the command line. A generated file has none.
func goFile(name string, source []byte) (comments, texts []prose, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, nil, err
	}
	for _, group := range file.Comments {
		comments = append(comments, paragraphs(commentLines(set, group))...)
	}
	in := literals{set: set}
	for _, declaration := range file.Decls {
		ast.Inspect(declaration, in.visit)
	}
	return comments, in.texts, nil
}

// directive is a comment for the compiler or a linter.
var directive = regexp.MustCompile(`^//([a-z0-9]+:[a-z0-9]|nolint)`)

func commentLines(set *token.FileSet, group *ast.CommentGroup) []numbered {
	var lines []numbered
	for _, comment := range group.List {
		if directive.MatchString(comment.Text) {
			continue
		}
		first := set.Position(comment.Pos()).Line
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(comment.Text, "//"), "/*"), "*/")
		for i, line := range strings.Split(text, "\n") {
			line = strings.ReplaceAll(strings.TrimPrefix(line, " "), "\t", "    ")
			lines = append(lines, numbered{line, first + i})
		}
	}
	return lines
}

// literals collects the texts of string literals.
type literals struct {
	set   *token.FileSet
	texts []prose
}

func (l *literals) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Field:
		l.texts = append(l.texts, paragraphs(l.help(n.Tag))...)
		ast.Inspect(n.Type, l.visit)
		return false // of the tag, only the help is text
	case *ast.BinaryExpr:
		if n.Op == token.ADD {
			l.add(n)
			return false
		}
	case *ast.BasicLit:
		l.add(n)
	}
	return true
}

// help is the text of a flag or command of the command line.
func (l *literals) help(tag *ast.BasicLit) []numbered {
	if tag == nil {
		return nil
	}
	value, err := strconv.Unquote(tag.Value)
	if err != nil {
		return nil
	}
	return []numbered{{reflect.StructTag(value).Get("help"), l.set.Position(tag.Pos()).Line}}
}

// add adds literals of three words and more. Shorter ones are names.
func (l *literals) add(e ast.Expr) {
	for _, p := range paragraphs(l.lines(e)) {
		if strings.Count(p.text, " ") >= 2 {
			l.texts = append(l.texts, p)
		}
	}
}

// lines are those of a literal, or of several that are joined with +.
func (l *literals) lines(e ast.Expr) []numbered {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return append(l.lines(e.X), l.lines(e.Y)...)
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		if err != nil || e.Kind != token.STRING {
			return nil
		}
		var lines []numbered
		first := l.set.Position(e.Pos()).Line
		for i, text := range strings.Split(value, "\n") {
			if e.Value[0] == '"' {
				i = 0
			}
			lines = append(lines, numbered{text, first + i})
		}
		return lines
	default:
		ast.Inspect(e, l.visit)
		return nil
	}
}

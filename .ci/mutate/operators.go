package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one file with one piece of its text replaced.
type mutant struct {
	kind     string
	source   *source
	from, to int    // the piece, in bytes
	text     string // its replacement
}

// The kinds of mutants of Go. Locks, logs and cancelled contexts stay: a test cannot show the loss
// of a lock, and need not assert logs.
const (
	negated  = "condition negated"
	boundary = "boundary moved"
	logic    = "and for or"
	unerror  = "error not returned"
	uncalled = "call dropped"
	constant = "constant off by one"
	zeroed   = "argument zeroed"
	swapped  = "arguments swapped"
)

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// mutants returns all mutants of a file.
func (s *source) mutants() (all []mutant) {
	ast.PreorderStack(s.file, nil, func(n ast.Node, stack []ast.Node) bool {
		add := func(kind string, from, to token.Pos, text string) {
			all = append(all, mutant{kind, s, s.offset(from), s.offset(to), text})
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			add(negated, n.Cond.Pos(), n.Cond.End(), "!("+s.source(n.Cond)+")")
		case *ast.CaseClause:
			s.negateCases(n, stack, add)
		case *ast.BinaryExpr:
			s.replaceOperator(n, add)
		case *ast.ReturnStmt:
			s.dropError(n, add)
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && !s.spared(call) {
				add(uncalled, n.Pos(), n.End(), "")
			}
		case *ast.CallExpr:
			if !s.spared(n) {
				s.zeroArguments(n, add)
				s.swapArguments(n, add)
			}
		case *ast.BasicLit:
			s.moveConstant(n, stack, add)
			if n.Kind == token.STRING && !isTagOrImport(stack) {
				for _, edit := range mutateSQL(n.Value) {
					at := n.Pos()
					add(edit.kind, at+token.Pos(edit.from), at+token.Pos(edit.to), edit.text)
				}
			}
		}
		return true
	})
	return all
}

func isTagOrImport(stack []ast.Node) bool {
	switch stack[len(stack)-1].(type) {
	case *ast.Field, *ast.ImportSpec:
		return true
	}
	return false
}

type adder func(kind string, from, to token.Pos, text string)

// negateCases negates the conditions of a switch without a subject.
func (s *source) negateCases(n *ast.CaseClause, stack []ast.Node, add adder) {
	if parent, ok := stack[len(stack)-2].(*ast.SwitchStmt); !ok || parent.Tag != nil {
		return
	}
	for _, cond := range n.List {
		add(negated, cond.Pos(), cond.End(), "!("+s.source(cond)+")")
	}
}

func (s *source) replaceOperator(n *ast.BinaryExpr, add adder) {
	for _, pair := range []struct {
		kind     string
		from, to token.Token
	}{
		{boundary, token.LSS, token.LEQ}, {boundary, token.LEQ, token.LSS}, {boundary, token.GTR, token.GEQ}, {boundary, token.GEQ, token.GTR},
		{logic, token.LAND, token.LOR}, {logic, token.LOR, token.LAND},
	} {
		if n.Op == pair.from {
			add(pair.kind, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), pair.to.String())
		}
	}
}

// dropError returns nil in place of an error.
func (s *source) dropError(n *ast.ReturnStmt, add adder) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if t := s.info.TypeOf(last); t != nil && !s.isNil(last) && types.Implements(t, errorType) {
		add(unerror, last.Pos(), last.End(), "nil")
	}
}

// zeroArguments hands a call the zero value in place of an argument.
func (s *source) zeroArguments(n *ast.CallExpr, add adder) {
	for _, arg := range n.Args {
		t := s.info.TypeOf(arg)
		if t == nil || n.Ellipsis.IsValid() || s.info.Types[arg].IsType() || t.String() == "context.Context" {
			continue
		}
		if zero := s.zero(t); zero != "" && s.source(arg) != zero {
			add(zeroed, arg.Pos(), arg.End(), zero)
		}
	}
}

// zero writes the zero value of a type as the file can; "" if it cannot.
func (s *source) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Info()&types.IsBoolean != 0:
			return "false"
		}
	case *types.Struct, *types.Array:
		if named, ok := t.(*types.Named); ok && named.TypeArgs() == nil {
			return s.qualified(named.Obj())
		}
	}
	return ""
}

// qualified writes a composite literal of a type that the file can name.
func (s *source) qualified(of *types.TypeName) string {
	if of.Pkg() == s.self {
		return of.Name() + "{}"
	}
	for _, spec := range s.file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && of.Pkg() != nil && path == of.Pkg().Path() && spec.Name == nil {
			return of.Pkg().Name() + "." + of.Name() + "{}"
		}
	}
	return ""
}

// commutative are functions whose order of arguments matters little or not at all.
var commutative = []string{"max", "min", "Join", "Equal", "Compare", "append", "Is"}

// swapArguments exchanges neighbouring arguments of one type.
func (s *source) swapArguments(n *ast.CallExpr, add adder) {
	if slices.Contains(commutative, calledName(n)) || n.Ellipsis.IsValid() {
		return
	}
	for i := range len(n.Args) - 1 {
		a, b := n.Args[i], n.Args[i+1]
		ta, tb := s.info.TypeOf(a), s.info.TypeOf(b)
		if ta == nil || tb == nil || s.source(a) == s.source(b) || !types.Identical(types.Default(ta), types.Default(tb)) || s.info.Types[a].IsType() {
			continue
		}
		between := string(s.text[s.offset(a.End()):s.offset(b.Pos())])
		add(swapped, a.Pos(), b.End(), s.source(b)+between+s.source(a))
	}
}

// moveConstant makes a whole number one more and one less. It skips quantities: sizes, durations,
// shifts and modes of files.
func (s *source) moveConstant(n *ast.BasicLit, stack []ast.Node, add adder) {
	value, err := strconv.ParseInt(n.Value, 10, 32)
	if n.Kind != token.INT || err != nil || len(n.Value) > 1 && n.Value[0] == '0' {
		return
	}
	for _, outer := range stack {
		switch outer := outer.(type) {
		case *ast.ArrayType:
			return
		case *ast.CallExpr:
			if calledName(outer) == "make" {
				return
			}
		case *ast.BinaryExpr:
			if t := s.info.TypeOf(outer); outer.Op == token.SHL || outer.Op == token.SHR || t != nil && t.String() == "time.Duration" {
				return
			}
		}
	}
	add(constant, n.Pos(), n.End(), strconv.FormatInt(value+1, 10))
	if value > 0 {
		add(constant, n.Pos(), n.End(), strconv.FormatInt(value-1, 10))
	}
}

// sparedNames are functions whose calls stay as they are.
var sparedNames = []string{"Lock", "Unlock", "RLock", "RUnlock", "panic", "Sprintf", "Errorf", "MustRegister"}

// spared reports whether a call stays as it is.
func (s *source) spared(n *ast.CallExpr) bool {
	if slices.Contains(sparedNames, calledName(n)) {
		return true
	}
	if t := s.info.TypeOf(n.Fun); t != nil && (t.String() == "context.CancelFunc" || s.info.Types[n.Fun].IsType()) {
		return true
	}
	if selected, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		object := s.info.Uses[selected.Sel]
		return object != nil && object.Pkg() != nil && object.Pkg().Path() == "log/slog"
	}
	return false
}

// calledName returns the name of a called function or method.
func calledName(n *ast.CallExpr) string {
	switch fun := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

func (s *source) isNil(e ast.Expr) bool { return s.info.Types[e].IsNil() }

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) source(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// mutated returns the file with the piece replaced.
func (m mutant) mutated() []byte {
	return slices.Concat(m.source.text[:m.from], []byte(m.text), m.source.text[m.to:])
}

// line returns the number of the line on which the piece begins.
func (m mutant) line() int { return 1 + strings.Count(string(m.source.text[:m.from]), "\n") }

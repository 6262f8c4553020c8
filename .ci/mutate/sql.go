package main

import (
	"regexp"
	"slices"
	"strings"
)

// The kinds of mutants of SQL.
const (
	unpredicated = "predicate dropped"
	reordered    = "order reversed"
	unlimited    = "limit dropped"
	unlocked     = "row lock dropped"
)

// edit replaces a piece of a string literal.
type edit struct {
	kind     string
	from, to int // in bytes of the literal
	text     string
}

// token of SQL: a word, a quoted text, or one sign.
type sqlToken struct {
	text     string // in capitals if it is a word
	from, to int
	depth    int // of parentheses, and of CASE … END
}

var sqlPattern = regexp.MustCompile(`'(?:[^']|'')*'|"[^"]*"|\$?[A-Za-z_0-9.]+|\S`)

// tokens splits a literal into tokens, without its quotes. Keywords are in capitals here, so that
// no sentence is taken for SQL.
func tokens(literal string) (all []sqlToken) {
	depth, inside := 0, strings.NewReplacer(`\n`, "  ", `\t`, "  ").Replace(literal[1:len(literal)-1])
	for _, at := range sqlPattern.FindAllStringIndex(inside, -1) {
		t := sqlToken{text: inside[at[0]:at[1]], from: at[0] + 1, to: at[1] + 1}
		if t.text == ")" || t.text == "END" {
			depth--
		}
		t.depth = depth
		if t.text == "(" || t.text == "CASE" {
			depth++
		}
		all = append(all, t)
	}
	return all
}

// mutateSQL returns the mutants of a string literal, in its Go form.
func mutateSQL(literal string) (all []edit) {
	list := tokens(literal)
	q := query{literal, list}
	for n, t := range list {
		switch t.text {
		case "WHERE", "AND", "ON", "HAVING":
			all = append(all, q.dropPredicate(n)...)
		case "ORDER":
			all = append(all, q.reverse(n)...)
		case "LIMIT":
			all = append(all, q.unlimit(n)...)
		case "FOR":
			all = append(all, q.unlock(n)...)
		}
	}
	return all
}

type query struct {
	literal string
	tokens  []sqlToken
}

// ends are words that end a predicate, a key of an order or a limit.
var ends = []string{
	"AND", "OR", "ORDER", "GROUP", "LIMIT", "OFFSET", "RETURNING", "FOR", "UNION", "EXCEPT", "ON", "JOIN", "LEFT", "CROSS", "INNER", "WHERE", "HAVING", "WINDOW",
	"WHEN", "THEN", "ELSE", "SET", "ROWS", "RANGE", ";", ",",
}

// until returns the first token after n that ends the clause of n: a word of ends at its
// depth, or the end of its parentheses.
func (q query) until(n int) int {
	between := false
	for i := n + 1; i < len(q.tokens); i++ {
		t := q.tokens[i]
		switch {
		case t.depth < q.tokens[n].depth:
			return i
		case t.depth > q.tokens[n].depth:
		case t.text == "BETWEEN":
			between = true
		case t.text == "AND" && between:
			between = false
		case slices.Contains(ends, t.text):
			return i
		}
	}
	return len(q.tokens)
}

// piece returns the text between two tokens.
func (q query) piece(n, end int) (from, to int, text string) {
	from, to = q.tokens[n+1].from, q.tokens[end-1].to
	return from, to, q.literal[from:to]
}

// unfinished are signs and words after which a predicate continues in another literal.
var unfinished = []string{"=", "<", ">", "IN", "ANY", "NOT", "LIKE", "IS", "FROM", "+", "-", "|", "BETWEEN"}

// dropPredicate makes a predicate always true. Its parameters stay, so that Postgres knows their
// types.
func (q query) dropPredicate(n int) []edit {
	end := q.until(n)
	if end == n+1 || q.tokens[n].text == "ON" && q.tokens[n+1].text == "CONFLICT" || q.ofConflict(n) || q.betweens(n) {
		return nil
	}
	if slices.Contains(unfinished, q.tokens[end-1].text) || strings.Contains(q.tokens[n+1].text, "TRUE") {
		return nil
	}
	from, to, text := q.piece(n, end)
	if strings.Count(text, "(") != strings.Count(text, ")") {
		return nil
	}
	return []edit{{unpredicated, from, to, "(" + text + " OR TRUE)"}}
}

// ofConflict reports whether a WHERE names the partial index of an ON CONFLICT.
func (q query) ofConflict(n int) bool {
	for i := n - 1; i > 0 && q.tokens[n].text == "WHERE" && q.tokens[i].text != "DO"; i-- {
		if q.tokens[i].text == "CONFLICT" {
			return true
		}
	}
	return false
}

// betweens reports whether an AND belongs to a BETWEEN.
func (q query) betweens(n int) bool {
	for i := n - 1; i >= 0 && q.tokens[n].text == "AND" && q.tokens[i].depth >= q.tokens[n].depth; i-- {
		if q.tokens[i].depth == q.tokens[n].depth && slices.Contains([]string{"BETWEEN", "AND", "WHERE", "ON", "OR"}, q.tokens[i].text) {
			return q.tokens[i].text == "BETWEEN"
		}
	}
	return false
}

// reverse reverses the order of the first key.
func (q query) reverse(n int) []edit {
	if n+2 >= len(q.tokens) || q.tokens[n+1].text != "BY" {
		return nil
	}
	end := q.until(n + 1)
	if end == n+2 {
		return nil
	}
	last := q.tokens[end-1]
	for _, t := range q.tokens[n+2 : end] {
		switch t.text {
		case "DESC":
			return []edit{{reordered, t.from, t.to, "ASC"}}
		case "ASC":
			return []edit{{reordered, t.from, t.to, "DESC"}}
		case "NULLS":
			return nil
		}
	}
	return []edit{{reordered, last.to, last.to, " DESC"}}
}

// unlimit sets a limit to NULL, which is none.
func (q query) unlimit(n int) []edit {
	end := q.until(n)
	if end == n+1 {
		return nil
	}
	from, to, text := q.piece(n, end)
	return []edit{{unlimited, from, to, "NULLIF((" + text + ")::bigint, (" + text + ")::bigint)"}}
}

// unlock reads rows without locking them.
func (q query) unlock(n int) []edit {
	words := []string{"NO", "KEY", "UPDATE", "SHARE", "OF", "SKIP", "LOCKED", "NOWAIT"}
	end, strong := n+1, false
	for ; end < len(q.tokens) && (slices.Contains(words, q.tokens[end].text) || q.tokens[end-1].text == "OF"); end++ {
		strong = strong || q.tokens[end].text == "UPDATE" || q.tokens[end].text == "SHARE"
	}
	if !strong {
		return nil
	}
	return []edit{{unlocked, q.tokens[n].from, q.tokens[end-1].to, ""}}
}

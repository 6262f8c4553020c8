package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSQLMutants(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		want []string // the mutated statements, without their quotes
	}{
		"predicates": {
			"SELECT a FROM b WHERE tenant = $1 AND c IN (SELECT d FROM e WHERE f AND g)",
			[]string{
				"SELECT a FROM b WHERE (tenant = $1 OR TRUE) AND c IN (SELECT d FROM e WHERE f AND g)",
				"SELECT a FROM b WHERE tenant = $1 AND (c IN (SELECT d FROM e WHERE f AND g) OR TRUE)",
				"SELECT a FROM b WHERE tenant = $1 AND c IN (SELECT d FROM e WHERE (f OR TRUE) AND g)",
				"SELECT a FROM b WHERE tenant = $1 AND c IN (SELECT d FROM e WHERE f AND (g OR TRUE))",
			},
		},
		"between":  {"DELETE FROM a WHERE b BETWEEN 1 AND 2", []string{"DELETE FROM a WHERE (b BETWEEN 1 AND 2 OR TRUE)"}},
		"case":     {"UPDATE a SET b = 1 WHERE c = CASE WHEN d THEN 1 END", []string{"UPDATE a SET b = 1 WHERE (c = CASE WHEN d THEN 1 END OR TRUE)"}},
		"join":     {"SELECT 1 FROM a JOIN b ON a.c = b.c", []string{"SELECT 1 FROM a JOIN b ON (a.c = b.c OR TRUE)"}},
		"quoted":   {"SELECT ' AND ' WHERE a = ' WHERE '", []string{"SELECT ' AND ' WHERE (a = ' WHERE ' OR TRUE)"}},
		"conflict": {"INSERT INTO a VALUES (1) ON CONFLICT (b) WHERE c DO NOTHING", nil},
		"a part":   {"SELECT a FROM b WHERE c =", nil},
		"newline":  {`WHERE a = 1\nORDER BY b`, []string{`WHERE (a = 1 OR TRUE)\nORDER BY b`, `WHERE a = 1\nORDER BY b DESC`}},
		"order":    {"SELECT a FROM b ORDER BY c DESC, d", []string{"SELECT a FROM b ORDER BY c ASC, d"}},
		"nulls":    {"SELECT a FROM b ORDER BY c NULLS LAST", nil},
		"limit":    {"SELECT a FROM b LIMIT $1", []string{"SELECT a FROM b LIMIT NULLIF(($1)::bigint, ($1)::bigint)"}},
		"lock":     {"SELECT a FROM b FOR NO KEY UPDATE OF b SKIP LOCKED", []string{"SELECT a FROM b "}},
		"words":    {"Answers wait, where and on which order they are for update.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			literal := "`" + c.sql + "`"
			for _, e := range mutateSQL(literal) {
				got = append(got, literal[1:e.from]+e.text+literal[e.to:len(literal)-1])
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("mutants (-want +got):\n%s", diff)
			}
		})
	}
}

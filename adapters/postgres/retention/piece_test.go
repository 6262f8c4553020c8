package retention_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// notary signs the current trees of the access record.
type notary struct {
	*office
	key    note.Signer
	policy proof.Policy
	edges  map[string]proof.Edge
	kept   []proof.Checkpoint // all that were ever signed
	idx    int64
}

func newNotary(t *testing.T, o *office) *notary {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "api.example")
	must(t, err)
	n := &notary{office: o, edges: map[string]proof.Edge{}}
	n.key, err = note.NewSigner(private)
	must(t, err)
	n.policy, err = proof.NewPolicy(public, nil, 0)
	must(t, err)
	return n
}

// sign extends the trees, and publishes their checkpoints of a day.
func (n *notary) sign(day time.Time) {
	n.t.Helper()
	for row, err := range (accesslog.Record{DB: n.owner, Page: 3}).Each(n.t.Context(), n.idx) {
		must(n.t, err)
		edge := n.edges[row.Tree]
		edge.Append(row.Hash())
		n.edges[row.Tree], n.idx = edge, row.Leaf.Idx
	}
	for tree, edge := range n.edges {
		c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.NewSHA1(uuid.Nil, []byte(tree)), Epoch: 1}, Size: edge.Size, Root: edge.Root()}
		n.kept = append(n.kept, c)
		signed, err := c.Sign(n.key)
		must(n.t, err)
		_, err = n.owner.Exec(n.t.Context(), `INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ($1, 2, 1, $2::date, $3, $4, $2::date)
			ON CONFLICT (tenant, kind, epoch, day) DO UPDATE SET size = excluded.size, note = excluded.note`, tree, day, edge.Size, string(signed))
		must(n.t, err)
	}
}

// pieces reads an archive.
func (n *notary) pieces(name string) (pieces []export.Piece, lines string) {
	n.t.Helper()
	var manifest struct{ Pieces []export.Piece }
	text, err := os.ReadFile(filepath.Join(n.Dir, name+".jsonl.gz.manifest.json"))
	must(n.t, err)
	must(n.t, json.Unmarshal(text, &manifest))
	return manifest.Pieces, unpacked(n.t, filepath.Join(n.Dir, name+".jsonl.gz"))
}

func (n *notary) verify(pieces []export.Piece, lines string) ([]export.Tally, error) {
	return export.VerifyPieces(strings.NewReader(lines), pieces, n.kept, n.policy.Open, nil)
}

// stepwise has calls of two practices, and of an unknown one, in each month. Some are
// late: their numbers are among those of the next month.
func stepwise(t *testing.T) *notary {
	t.Helper()
	n := newNotary(t, newOffice(t))
	n.Unproved, n.now = false, day(2026, 4, 20)
	_, err := n.owner.Exec(t.Context(), `INSERT INTO practices (tenant, name, time_zone) VALUES ('elm', 'Elm', 'UTC'), ('oak', 'Oak', 'UTC')`)
	must(t, err)
	n.run()
	for ; n.now.Before(day(2026, 10, 1)); n.now = n.now.AddDate(0, 1, 0) {
		n.run()
		n.calls(n.now)
		for _, tenant := range []string{"oak", "nobody", "elm"} {
			n.callsOf(tenant, n.now, n.now)
		}
		n.callsOf("oak", n.now.AddDate(0, -1, 0))
		n.sign(n.now)
		n.callsOf("elm", n.now)
	}
	n.Keep.Days = 70
	return n
}

func TestNothingLeavesBeforeItIsSigned_D80(t *testing.T) {
	t.Parallel()
	n := stepwise(t)
	before := n.numbered()
	_, err := n.owner.Exec(t.Context(), `DELETE FROM checkpoints WHERE tenant = 'oak' AND day >= '2026-05-01'`)
	must(t, err)
	if err := n.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not-signed-yet") || !strings.Contains(err.Error(), "practice oak") {
		t.Errorf("without a checkpoint that covers the lines: %v", err)
	}
	if diff := cmp.Diff(before, n.numbered()); diff != "" {
		t.Errorf("nothing was to leave (-before +after):\n%s", diff)
	}
	_, err = n.owner.Exec(t.Context(), `INSERT INTO archives (name, record, until, detached_at) VALUES ('access_record_2026_07', 'access_record', now(), now())`)
	if err == nil || !strings.Contains(err.Error(), "archives_written") {
		t.Errorf("a partition is taken out without a file: %v", err)
	}
	n.sign(day(2026, 9, 21))
	n.proves(1)
	if err := n.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not-in-trees-yet") {
		t.Errorf("before the trees have them: %v", err)
	}
	n.proves(1 << 60)
	n.wantNumbersFirst()
	before = n.numbered()
	n.sign(day(2026, 9, 22))
	n.run()
	wantWhole(t, before, n.numbered(), n.archived("access_record", "request_id"))
	n.wantContinues()
	var paths []string
	for _, name := range []string{"access_record_until_2026_06", "access_record_2026_06"} {
		pieces, lines := n.pieces(name)
		tallies, err := n.verify(pieces, lines)
		paths = append(paths, filepath.Join(n.Dir, name+".jsonl.gz"))
		found, fromFile := retention.Verify(paths, n.policy, n.kept)
		if err != nil || fromFile != nil || len(tallies) != 3 || len(found) != 3*len(paths) {
			t.Errorf("%s: %+v, %v, %+v, %v", name, tallies, err, found, fromFile)
		}
	}
	n.wantNoForgery("access_record_2026_06")
}

// A line that is replaced by its hash, or that loses its texts, is found: in each archive, and
// in each place.
func TestNoLineHidesBehindItsHash_D138(t *testing.T) {
	t.Parallel()
	n := stepwise(t)
	n.proves(1 << 60)
	n.sign(day(2026, 9, 22))
	n.run()
	var paths []string
	for _, name := range []string{"access_record_until_2026_06", "access_record_2026_06"} {
		paths = append(paths, filepath.Join(n.Dir, name+".jsonl.gz"))
	}
	if _, err := retention.Verify(paths, n.policy, n.kept); err != nil {
		t.Fatal(err)
	}
	if _, err := retention.Verify(paths[1:], n.policy, n.kept); err == nil || !strings.Contains(err.Error(), "give that one, too") {
		t.Errorf("without the archive that has the late lines: %v", err)
	}
	hidden := 0
	for _, path := range paths {
		text := unpacked(t, path)
		lines := strings.SplitAfter(text, "\n")
		for at, line := range lines[:len(lines)-1] {
			parsed, ok := new(export.Parser).Parse([]byte(strings.TrimSpace(line)))
			if !ok || parsed.Access == nil || !parsed.Access.Whole() {
				continue
			}
			stripped := *parsed.Access
			stripped.Reason = nil
			withoutTexts, err := stripped.Append(nil)
			must(t, err)
			justHash, err := export.HashLine{N: parsed.N, Leaf: parsed.Hash}.Append(nil)
			must(t, err)
			for what, other := range map[string][]byte{"its texts": withoutTexts, "all but its hash": justHash} {
				changed := slices.Clone(lines)
				changed[at] = string(other)
				forged := n.repacked(path, strings.Join(changed, ""))
				if _, err := retention.Verify(append([]string{forged}, without(paths, path)...), n.policy, n.kept); err == nil || !strings.Contains(err.Error(), "archive-lacks-lines") {
					t.Fatalf("number %d of %s lacks %s, and it says %v", parsed.N, filepath.Base(path), what, err)
				}
				hidden++
			}
		}
	}
	if hidden < 20 {
		t.Errorf("%d lines were hidden", hidden)
	}
}

func without(paths []string, path string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == path })
}

// repacked is an archive with other lines, and a manifest that fits them.
func (n *notary) repacked(path, lines string) (forged string) {
	n.t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(lines))
	must(n.t, errors.Join(err, w.Close()))
	text, err := os.ReadFile(path + ".manifest.json")
	must(n.t, err)
	var m map[string]any
	must(n.t, json.Unmarshal(text, &m))
	m["lines"], m["others"], m["hashes"], m["sha256"] = strings.Count(lines, "\n"), 0, 0, event.Digest(sha256.Sum256(packed.Bytes()))
	text, err = json.Marshal(m)
	must(n.t, err)
	forged = filepath.Join(n.t.TempDir(), filepath.Base(path))
	must(n.t, errors.Join(os.WriteFile(forged, packed.Bytes(), 0o600), os.WriteFile(forged+".manifest.json", text, 0o600)))
	return forged
}

var numbering = regexp.MustCompile("INSERT INTO access_waiting [^`]*")

// wantNumbersFirst fails unless a line that was written past the program stays until
// the page's remedy has numbered it.
func (n *notary) wantNumbersFirst() {
	n.t.Helper()
	past := strings.Replace(`INSERT INTO access_record_until_2026_06 SELECT (jsonb_populate_record(r, jsonb_build_object('request_id', 'ID'))).* FROM access_record r LIMIT 1`,
		"ID", n.minted(day(2026, 5, 2)).String(), 1)
	_, err := n.owner.Exec(n.t.Context(), past)
	must(n.t, err)
	if err := n.Run(n.t.Context()); err == nil || !strings.Contains(err.Error(), "of them have numbers") {
		n.t.Errorf("with a line that has no number: %v", err)
	}
	page, err := os.ReadFile("../../../docs/privacy/archives.md")
	must(n.t, err)
	_, err = n.owner.Exec(n.t.Context(), numbering.FindString(string(page)))
	must(n.t, err)
}

// wantContinues fails unless the trees, from where the lines begin that are kept, come to the
// roots that were signed.
func (n *notary) wantContinues() {
	n.t.Helper()
	record := accesslog.Record{DB: n.owner, Page: 2}
	if _, err := record.Rows(n.t.Context(), 0); !errors.Is(err, accesslog.ErrArchived) {
		n.t.Errorf("lines that are archived: %v", err)
	}
	kept, err := record.Kept(n.t.Context())
	must(n.t, err)
	var hashes int
	for row, err := range record.Each(n.t.Context(), kept.Idx) {
		must(n.t, err)
		edge := kept.Trees[row.Tree]
		edge.Append(row.Hash())
		kept.Trees[row.Tree] = edge
		if row.Archived != nil {
			hashes++
		}
	}
	for tree, edge := range n.edges {
		if again := kept.Trees[tree]; again.Size != edge.Size || again.Root() != edge.Root() {
			n.t.Errorf("tree %q comes to %d leaves and %v, want %d and %v", tree, again.Size, again.Root(), edge.Size, edge.Root())
		}
	}
	var first int64
	must(n.t, n.owner.QueryRow(n.t.Context(), `SELECT min(idx) FROM access_log`).Scan(&first))
	if kept.Idx == 0 || hashes == 0 || first != kept.Idx+1 {
		n.t.Errorf("the lines begin behind %d, the numbers with %d, and %d lines are known by their hash", kept.Idx, first, hashes)
	}
}

// wantNoForgery fails unless every change of an archive is found.
func (n *notary) wantNoForgery(name string) {
	n.t.Helper()
	type archive struct {
		pieces []export.Piece
		lines  []string
	}
	for what, forge := range map[string]func(*archive){
		"a line is changed":         func(a *archive) { a.lines[1] = strings.Replace(a.lines[1], `"status":200`, `"status":403`, 1) },
		"a line is left out":        func(a *archive) { a.lines = slices.Delete(a.lines, 1, 2) },
		"a line is added":           func(a *archive) { a.lines = append(a.lines, a.lines[0]) },
		"two lines are exchanged":   func(a *archive) { a.lines[0], a.lines[1] = a.lines[1], a.lines[0] },
		"it begins elsewhere":       func(a *archive) { a.pieces[0].Edge[0] ^= 1 },
		"it ends elsewhere":         func(a *archive) { a.pieces[0].Size-- },
		"it has another's note":     func(a *archive) { a.pieces[0].Note = a.pieces[1].Note },
		"it has no note":            func(a *archive) { a.pieces[0].Note = "" },
		"the last piece is missing": func(a *archive) { a.pieces = a.pieces[:len(a.pieces)-1] },
		"it is of another practice": func(a *archive) { a.pieces[len(a.pieces)-1].Tenant = "elm" },
	} {
		pieces, lines := n.pieces(name)
		a := archive{pieces, strings.SplitAfter(lines, "\n")}
		a.lines = a.lines[:len(a.lines)-1]
		forge(&a)
		if _, err := n.verify(a.pieces, strings.Join(a.lines, "")); err == nil {
			n.t.Errorf("%s, and nobody notices", what)
		}
	}
}

// lineOf returns a line without its number in the tree.
func lineOf(t *testing.T, line export.AccessLine) string {
	t.Helper()
	line.N = 0
	text, err := line.Append(nil)
	must(t, err)
	return string(text)
}

// known returns the key of an archived line, and the line as in [office.all]. A hash
// has none.
func known(t *testing.T, line, key string) (id, text string) {
	t.Helper()
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, `{"n":`) {
		var columns map[string]any
		must(t, json.Unmarshal([]byte(line), &columns))
		return columns[key].(string), line
	}
	parsed, ok := new(export.Parser).Parse([]byte(line))
	if !ok {
		t.Fatalf("this is no line of an export: %s", line)
	}
	if parsed.Access == nil || !parsed.Access.Whole() {
		return "", ""
	}
	return parsed.Access.Leaf.RequestID.String(), lineOf(t, *parsed.Access)
}

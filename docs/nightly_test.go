package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"frontdesk/.ci/proofs"
)

var (
	namedProof = regexp.MustCompile(`\bTestProve[A-Z]\w*`)
	namedFile  = regexp.MustCompile(`[\w/]+_prove_test\.go`)
)

// A document that names a proof claims its result. docs/contribute/nightly.md must show that the proof
// has passed, and the number of its cases. A named file counts for all proofs in it.
func TestDocumentsNamePassedProofs(t *testing.T) {
	t.Parallel()
	rows, err := proofs.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := proofs.Find(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []proofs.Proof
	for _, page := range pagesOf(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Join("docs", page) == proofs.Page {
			continue // it names all of them
		}
		for _, name := range namesOfProofs(t, string(text)) {
			at := slices.IndexFunc(all, func(p proofs.Proof) bool { return p.Name == name })
			if at < 0 {
				t.Errorf("%s: there is no %s", page, name)
				continue
			}
			wanted = append(wanted, all[at])
		}
	}
	slices.SortFunc(wanted, proofs.Proof.Compare)
	wanted = slices.Compact(wanted)
	if len(wanted) < 40 {
		t.Errorf("the documents name %d proofs", len(wanted))
	}
	for _, doubt := range proofs.Doubts(rows, wanted) {
		t.Errorf("%s (run `make nightly`)", doubt)
	}
}

// namesOfProofs returns the proofs that a document names, and those of the files that it names.
func namesOfProofs(t *testing.T, text string) []string {
	t.Helper()
	names := namedProof.FindAllString(text, -1)
	for _, file := range namedFile.FindAllString(text, -1) {
		if path.Dir(file) == "." {
			continue // a pattern, such as *_prove_test.go
		}
		source, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Error(err)
		}
		for _, test := range declared.FindAllStringSubmatch(string(source), -1) {
			if proofs.IsProof(test[1]) {
				names = append(names, test[1])
			}
		}
	}
	return names
}

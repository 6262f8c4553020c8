package refusals_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/refusals"
)

// Codes that no call of the API returns, by the package or the code, and why. All other codes
// in the source must be described.
var (
	elsewhere = map[string]string{
		"cmd":                         "for the command line",
		"adapters/staffweb":           "for the staff pages",
		"adapters/outbound":           "an application's URLs are set by commands",
		"adapters/postgres/embedded":  "for the command line",
		"adapters/postgres/replay":    "for auditors",
		"adapters/postgres/retention": "for the owner",
		"adapters/postgres/proving":   "for auditors",
		"adapters/witness":            "for who signs",
		"domain/epoch":                "epochs are begun by operators",
		"domain/proof":                "for auditors and witnesses",
		"domain/display":              "displays are added on the staff pages and by commands",
		"domain/erasure":              "people are erased by commands",
		"domain/practitioner":         "practitioners are erased by commands",
		"domain/authorisation":        "authorisations are given on the staff pages and by commands",
		"domain/practice/hours":       "hours are set by commands",
		"domain/signingkey":           "keys are kept by commands",
		"domain/staff":                "staff are registered by commands",
		"projections":                 "for auditors",
	}
	unseen = map[string]string{
		"cut-off":                    "the caller has disconnected",
		"invalid-reason":             "records are amended by commands",
		"note-not-found":             "notes are amended by commands",
		"invalid-appointment-length": "appointments are planned by staff and commands",
		"unknown-appointment-kind":   "appointments are planned by staff and commands",
		"not-a-clinician":            "appointments are planned by staff and commands",
		"patient-request-taken":      "requests are handled by staff and commands",
		"patient-request-completed":  "requests are handled by staff and commands",
		"patient-request-not-done":   "requests are handled by staff and commands",
		"patient-request-moved":      "requests are handled by staff and commands",
		"patient-request-changed":    "calls say nothing of what they have seen",
		"record-closed":              "glass is broken on the staff pages alone",
		"missing-reason":             "glass is broken on the staff pages alone",
		"answer-without-reply":       "requests are handled by staff and commands",
		"no-recipient":               "requests are handled by staff and commands",
		"unknown-outcome":            "requests are handled by staff and commands",
		"invalid-put-off":            "requests are handled by staff and commands",
		"two-holders":                "requests are handled by staff and commands",
		"invalid-text":               "requests are handled by staff and commands",
		"text-too-long":              "requests are handled by staff and commands",
		"unknown-attachment":         "files are opened by staff and auditors",
		"name-too-long":              "patients and staff are registered by commands",
		"invalid-information":        "texts for patients are edited on the staff pages",
		"invalid-note-template":      "note templates are kept on the staff pages",
		"too-many-note-templates":    "note templates are kept on the staff pages",
		"note-template-changed":      "note templates are kept on the staff pages",
		"unknown-topic":              "texts for patients are edited on the staff pages",
		"information-changed":        "texts for patients are edited on the staff pages",
		"missing-name":               "patients, practices and sites are made by commands",
		"invalid-birth-date":         "patients are registered by commands",
		"patient-exists":             "patients are registered by commands",
		"patient-changed":            "calls say nothing of what they have seen",
		"invalid-tenant":             "practices are registered by commands",
		"unknown-time-zone":          "practices are registered by commands",
		"tenant-taken":               "practices are registered by commands",
		"invalid-callback":           "applications are made by commands",
		"application-exists":         "applications are made by commands",
		"reserved-application-id":    "applications are made by commands",
		"unknown-callback":           "callbacks are for the staff pages",
		"unknown-application":        "a caller is a known application",
		"not-patient-scoped":         "authorisations are given by staff and commands",
		"webhook-not-https":          "webhooks are registered by commands",
		"unknown-mode":               "grants are given by commands",
		"unknown-endpoint":           "grants are given by commands",
		"unknown-practice":           "an unknown practice has no enabled application",
		"invalid-closure":            "closures are made by commands",
		"invalid-pause":              "pauses are made by commands",
		"erased":                     "people are erased by commands",
		"impossible-birth-date":      "patients are registered by commands",
		"patient-erased":             "patients are registered by commands",
		"appointment-attended":       "appointments are moved and cancelled by staff and commands",
		"appointment-changed":        "calls say nothing of what they have seen",
		"nothing-to-undo":            "steps are undone by staff and commands",
		"undo-of-another":            "steps are undone by staff and commands",
		"undo-too-late":              "steps are undone by staff and commands",
		"appointment-booked":         "calls are booked once by their Idempotency-Key",
		"no-master-key":              "serve always has one",
		"lines-archived":             "the access record is for auditors",
	}
)

// roomElsewhere is a wording of a code of the table: rooms are renamed by commands.
const roomElsewhere = "The practice has no room with this roomId."

// Every refusal in the source has a row in the table, and every code of the table has a
// source.
func TestEverySentenceInTheSourceHasARow_D92(t *testing.T) {
	t.Parallel()
	table, seen := map[string]map[string]bool{}, map[string]bool{}
	for _, code := range refusals.Codes() {
		table[code.Code] = map[string]bool{}
		for _, sentence := range code.Sentences {
			table[code.Code][sentence.Text] = true
		}
	}
	for _, one := range refusalsInSource(t) {
		if unseen[one.code] != "" || isElsewhere(one.folder) {
			continue
		}
		seen[one.code] = true
		if one.code != "" && table[one.code] == nil {
			t.Errorf("%s: the code %s is not in the table; if no call is answered it, say why above", one.folder, one.code)
		}
		if one.sentence != "" && one.sentence != roomElsewhere && !holds(table, one) {
			t.Errorf("%s: the table lacks the sentence %q", one.folder, one.sentence)
		}
	}
	for code := range table {
		if !seen[code] {
			t.Errorf("the table has %s, which has no source", code)
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d codes were found in the source", len(seen))
	}
}

// holds reports whether the table has a sentence, perhaps with its verbs filled in. A
// sentence whose code is unknown at its place, such as a wording of another variable, may
// have any code.
func holds(table map[string]map[string]bool, one refusal) bool {
	pattern := regexp.MustCompile("^" + refusals.Pattern(one.sentence) + "$")
	for code, sentences := range table {
		for sentence := range sentences {
			if (one.code == "" || one.code == code) && (sentence == one.sentence || pattern.MatchString(sentence)) {
				return true
			}
		}
	}
	return false
}

func isElsewhere(folder string) bool {
	for ; folder != "."; folder = path.Dir(folder) {
		if elsewhere[folder] != "" {
			return true
		}
	}
	return false
}

// refusal is a code or a sentence, and the folder of its source.
type refusal struct {
	folder, code string
	sentence     string // "" if it is made from parts
}

// refusalsInSource reads every call of fault.New outside tests, every other wording, and the
// functions that derive codes from a part: body.MissingID and body.InvalidID.
func refusalsInSource(t *testing.T) (all []refusal) {
	t.Helper()
	tree := os.DirFS("../../../..")
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != ".":
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, refusalsIn(t, name, file)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var codeForm = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)

func refusalsIn(t *testing.T, name string, file *ast.File) (all []refusal) {
	t.Helper()
	add := func(code, sentence string) { all = append(all, refusal{path.Dir(name), code, sentence}) }
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch called := callee(call); {
		case called == "fault.New":
			if code, ok := codeOf(call.Args[1]); ok {
				sentence, whole := codeOf(call.Args[2])
				if !codeForm.MatchString(code) || whole && !strings.Contains(sentence, " ") {
					t.Errorf("%s: fault.New has the code %q and the sentence %q", name, code, sentence)
				}
				add(code, sentence)
			} else if path.Base(name) != "form.go" { // where MissingID and InvalidID are
				t.Errorf("%s: this test cannot read a code that is made so", name)
			}
		case strings.HasSuffix(called, "MissingID"), strings.HasSuffix(called, "InvalidID"):
			if part, ok := codeOf(call.Args[0]); ok {
				kind := strings.ToLower(strings.TrimSuffix(called[strings.Index(called, ".")+1:], "ID"))
				add(kind+"-"+part+"-id", "")
			}
		case strings.HasSuffix(called, ".Worded"):
			if sentence, ok := codeOf(call.Args[0]); ok {
				add("", sentence)
			}
		case strings.HasSuffix(called, ".With") && !isElsewhere(path.Dir(name)):
			if sentence, ok := codeOf(call.Args[0]); ok {
				t.Errorf("%s: declare %q with Worded, so that the table can refer to it", name, sentence)
			}
		}
		return true
	})
	return all
}

func callee(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// statusCodes are the codes that are also a request type's status (D24).
var statusCodes = map[string]string{
	"TypeDisabled": "request-type-disabled", "TypePaused": "request-type-paused", "TypeClosed": "request-type-closed",
}

// codeOf reads a literal, or the conversion of a status.
func codeOf(arg ast.Expr) (string, bool) {
	switch arg := arg.(type) {
	case *ast.BasicLit:
		code, err := strconv.Unquote(arg.Value)
		return code, err == nil
	case *ast.CallExpr:
		if status, ok := arg.Args[0].(*ast.Ident); ok {
			code, known := statusCodes[status.Name]
			return code, known
		}
	}
	return "", false
}

package main

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"frontdesk/.ci/tree"
)

// longPage and longSentence are the most words that are easy to read.
const (
	longPage     = 2000
	longSentence = 25
)

// generated pages are written by tests and programs.
var generated = []string{"features/coverage.md", "docs/operate/commands.md", "docs/contribute/drills.md", "docs/contribute/nightly.md", "docs/decisions/README.md"}

// pageSets are the pages that are measured together, by their folders.
var pageSets = []struct {
	name    string
	folders []string
}{
	{"user pages", []string{"docs/integrate", "docs/operate", "docs/practice", "docs/privacy", "docs/audit"}},
	{"other pages", []string{".", "docs", "docs/explain", "docs/contribute", "docs/security", "docs/safety", "client"}},
	{"decisions", []string{"docs/decisions"}},
}

// style counts the properties of pages that make them easy or hard to read.
type style struct {
	pages, words, markers, sentences, long, passive, negated, headings, tasks, pictures int
	longPages                                                                           []string
}

var (
	anyWord      = regexp.MustCompile(`[\pL\pN][\pL\pN'’.-]*`)
	sentenceEnd  = regexp.MustCompile(`[.!?][)"”]* |[.!?]$`)
	passiveVoice = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be|been|being) (?:not |never |only |also |\pL+ly )?(?:\pL+ed|` +
		`given|taken|written|read|sent|kept|made|shown|found|known|held|left|lost|built|chosen|drawn|hidden|bound|begun|run|set|put|cut|seen|done|gone)\b`)
	negation    = regexp.MustCompile(`(?i)\b(?:not|never|no|none|nothing|cannot|without|neither|nor)\b|n't\b`)
	headingText = regexp.MustCompile(`^#{1,6}\s+(.*)`)
	picture     = regexp.MustCompile("!\\[|^```mermaid|<img ")
	task        = regexp.MustCompile(`^(?:Add|Answer|Approve|Archive|Ask|Assign|Audit|Authorise|Back|Book|Build|Call|Cancel|Change|Check|Choose|Clear|Complete|Configure|Confirm|Connect|` +
		`Copy|Correct|Create|Declare|Delete|Deploy|Diagnose|Encrypt|End|Erase|Explain|Export|Fail|Fetch|Find|Finish|Fix|Follow|Get|Give|Grant|Handle|Import|Inspect|Install|Investigate|Invite|` +
		`Keep|Limit|List|Look|Make|Manage|Measure|Migrate|Monitor|Move|Offboard|Onboard|Open|Pause|Plan|Prepare|Prove|Publish|Query|Read|Receive|Record|Recover|Register|Release|Remove|Repeat|` +
		`Replace|Replay|Report|Reset|Resend|Restore|Restrict|Retire|Retry|Return|Revoke|Roll|Rotate|Run|Scale|Search|See|Send|Serve|Set|Show|Sign|Start|Stop|Submit|Switch|Take|Test|Trace|` +
		`Troubleshoot|Try|Undo|Update|Upgrade|Use|Verify|Watch|Write)\b`)
)

// measure prints the style of each set of pages. Tables, code and headings are not prose.
func measure(files fs.FS, out io.Writer) error {
	names, err := tree.Files(files)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "pages\twords\tmarkers/1,000\tover 25 words\tpassive\tdouble negation\ttask headings\tdiagrams and pictures\tover 2,000 words\t ")
	var long []string
	for _, set := range pageSets {
		var s style
		for _, name := range names {
			if path.Ext(name) != ".md" || !slices.Contains(set.folders, path.Dir(name)) || slices.Contains(generated, name) {
				continue
			}
			page, err := fs.ReadFile(files, name)
			if err != nil {
				return err
			}
			s.add(name, string(page))
		}
		long = append(long, s.longPages...)
		_, _ = fmt.Fprintf(table, "%d\t%d\t%.1f\t%s\t%s\t%s\t%s\t%d\t%d\t %s\n", s.pages, s.words, 1000*float64(s.markers)/float64(max(1, s.words)),
			share(s.long, s.sentences), share(s.passive, s.sentences), share(s.negated, s.sentences), share(s.tasks, s.headings), s.pictures, len(s.longPages), set.name)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	readme, err := fs.ReadFile(files, "README.md")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "README.md: %d words\nover 2,000 words: %s\n", len(strings.Fields(string(readme))), strings.Join(long, " "))
	return err
}

func share(part, whole int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, whole)))
}

func (s *style) add(name, page string) {
	s.pages++
	if len(strings.Fields(page)) > longPage {
		s.longPages = append(s.longPages, name)
	}
	lines := linesOf(page)
	s.addHeadings(lines)
	for _, p := range paragraphs(lines) {
		s.words += len(anyWord.FindAllString(p.text, -1))
		s.markers += len(p.hits(name))
		for _, sentence := range p.sentences() {
			s.addSentence(sentence.text)
		}
	}
}

func (s *style) addHeadings(lines []numbered) {
	fenced := false
	for _, l := range lines {
		if picture.MatchString(l.text) {
			s.pictures++
		}
		if fence.MatchString(l.text) {
			fenced = !fenced
		}
		if title := headingText.FindStringSubmatch(l.text); title != nil && !fenced {
			s.headings++
			if task.MatchString(title[1]) {
				s.tasks++
			}
		}
	}
}

func (s *style) addSentence(sentence string) {
	s.sentences++
	if len(anyWord.FindAllString(sentence, -1)) > longSentence {
		s.long++
	}
	if passiveVoice.MatchString(sentence) {
		s.passive++
	}
	if negatedTwice(sentence) {
		s.negated++
	}
}

func negatedTwice(sentence string) bool { return len(negation.FindAllString(sentence, -1)) > 1 }

// sentences splits a paragraph. Fewer than three words are a label, not a sentence.
func (p prose) sentences() []prose {
	var all []prose
	from := 0
	for _, end := range append(sentenceEnd.FindAllStringIndex(p.text, -1), []int{len(p.text), len(p.text)}) {
		if text := p.text[from:end[0]]; len(anyWord.FindAllString(text, 3)) == 3 {
			all = append(all, prose{text, p.lines[from:end[0]]})
		}
		from = end[1]
	}
	return all
}

// listNegated prints the sentences with a double negation in files and folders.
func listNegated(files fs.FS, out io.Writer, wanted []string) error {
	names, err := tree.Files(files)
	if err != nil {
		return err
	}
	for _, name := range names {
		if path.Ext(name) != ".md" || !slices.ContainsFunc(wanted, hit{file: name}.isIn) {
			continue
		}
		page, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, p := range paragraphs(linesOf(string(page))) {
			for _, sentence := range p.sentences() {
				if negatedTwice(sentence.text) {
					_, _ = fmt.Fprintf(out, "%s:%d: %s\n", name, sentence.lines[0], sentence.text)
				}
			}
		}
	}
	return nil
}

package body

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/request"
)

// byByte is a diverter that takes single characters, so that there are no runs.
type byByte struct{ *diverter }

func (d byByte) Read(p []byte) (int, error) {
	for len(d.out) == 0 && d.err == nil {
		d.out, d.err = d.advance(d.out[:0])
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

func (d byByte) advance(out []byte) ([]byte, error) {
	if err := d.begin(); err != nil {
		return out, err
	}
	c, err := d.in.ReadByte()
	if err != nil {
		return out, err
	}
	if c == '"' && !d.texts.inside && d.tracker.isData() {
		return d.divert(out)
	}
	d.follow(c)
	return append(out, c), nil
}

func (d byByte) follow(c byte) {
	inside := d.texts.inside
	d.texts.follow(c)
	switch {
	case inside && d.texts.inside:
		d.tracker.inString([]byte{c})
	case inside:
		d.tracker.endString()
	case d.texts.inside:
		d.tracker.beginString()
	default:
		d.tracker.structural(c)
	}
}

// kept is a file in memory.
type kept struct{ bytes.Buffer }

func (k *kept) finish(mistake request.Mistake) (request.Content, error) {
	return request.Content{Base64: mistake.Is == nil, Mistake: mistake, Size: int64(k.Len())}, nil
}

// diverted is the result of diverting a body.
type diverted struct {
	JSON, Error string
	Files       []string
}

// divertedBy reads a body that arrives in pieces through a diverter.
func divertedBy(t *testing.T, body string, piece, buffer int, reader func(*diverter) io.Reader) (found diverted) {
	t.Helper()
	var files []*kept
	d := newDiverter(&pieces{body, piece}, func() (file, error) {
		files = append(files, &kept{})
		return files[len(files)-1], nil
	})
	defer d.close()
	d.mark = "marker"
	from, p := reader(d), make([]byte, buffer)
	for {
		n, err := from.Read(p)
		found.JSON += string(p[:n])
		if err != nil {
			found.Error = err.Error()
			break
		}
	}
	for _, file := range files {
		found.Files = append(found.Files, file.String())
	}
	return found
}

// pieces is a body that arrives in pieces of a size.
type pieces struct {
	text  string
	piece int
}

func (p *pieces) Read(into []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(into, p.text[:min(p.piece, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// FuzzRuns compares runs with single characters: output, files and the lengths of
// texts. They are equal however a body arrives.
func FuzzRuns(f *testing.F) {
	long := strings.Repeat("It hurts. ", 30)
	for _, seed := range []string{
		`{"patientId":"a","response":[{"question":"q","answer":"` + long + `"}]}`,
		`{"attachments":[{"name":"` + long + `","data":"YWJj","x":"\"` + long + `\\"},{"d\u0061ta":"YWJjYWJj"}]}`,
		`{"` + long + `":[{"data":"YWJj"}],"attachments` + long + `":[{"data":"YWJj"}],"attachments":[{"data":"\u0059WJj"}]}`,
		`{"x":"` + strings.Repeat(`\\\"`, 300) + `","attachments":[{"data":"YW`,
		`"\` + "\x00\"" + `]}{"` + "\xff" + `\u12`,
	} {
		f.Add(seed, 7, 5)
		f.Add(seed, 1<<10, 1<<9)
	}
	f.Fuzz(func(t *testing.T, body string, piece, buffer int) {
		piece, buffer = max(piece, 1), min(max(buffer, 1), 1<<16)
		want := divertedBy(t, body, piece, buffer, func(d *diverter) io.Reader { return byByte{d} })
		got := divertedBy(t, body, piece, buffer, func(d *diverter) io.Reader { return d })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pieces of %d, read by %d (-one by one +in runs):\n%s", piece, buffer, diff)
		}
		compareLengths(t, []byte(body))
	})
}

func compareLengths(t *testing.T, body []byte) {
	t.Helper()
	var single, runs texts
	for passed := 0; passed < len(body); {
		n := runs.pass(body[passed:])
		for _, c := range body[passed : passed+n] {
			single.follow(c)
		}
		if passed += n; runs != single {
			t.Fatalf("after %q: %+v, one by one %+v", body[:passed], runs, single)
		}
	}
}

// BenchmarkReadJSON measures reading a body without files.
func BenchmarkReadJSON(b *testing.B) {
	for _, texts := range []struct{ n, length int }{{1, 1 << 10}, {8, 1<<19 - 64}} {
		b.Run(fmt.Sprintf("KiB=%d", texts.n*texts.length>>10), func(b *testing.B) {
			text := strings.Repeat("x", texts.length)
			body := `{"response":["` + text + strings.Repeat(`","`+text, texts.n-1) + `"]}`
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := readJSON(newDiverter(strings.NewReader(body), nil), Texts{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

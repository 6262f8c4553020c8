package export_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

var (
	stream  = uuid.MustParse("0198a1b2-0000-7000-8000-000000000001")
	id      = uuid.MustParse("0198a1b2-0000-7000-8000-000000000002")
	patient = uuid.MustParse("0198a1b2-0000-7000-8000-000000000003")
	at      = time.Date(2026, 11, 22, 9, 30, 0, 120000000, time.UTC)
)

func stored(idx int64) event.Stored {
	return event.Stored{
		Idx: idx, ID: id, Stream: event.Stream{Tenant: "north", ID: stream}, Version: 3, At: at, Name: "test.noted.v1",
		Data: []byte(`{"note":"[personal]","é":"\u2028\n"}`), Metadata: []byte(`{"actor":{"kind":"service"}}`), Patient: patient, Sealed: []byte{1, 2, 3},
	}
}

// called is a line of the access record with all possible members.
func called(n int64) export.AccessLine {
	digest := func(text string) event.Digest { return event.Digest(sum(text)) }
	return export.AccessLine{
		N: n, Reason: []byte("no consent"), Act: []byte(`{"sub":"x"}`), Sealed: []byte{},
		Leaf: proof.AccessLeaf{
			Idx: n + 1, RequestID: id, At: at, Tenant: "north", Application: stream, Mode: "user-restricted", Staff: patient, Endpoint: "create-note",
			Patient: patient, Status: 403, Code: "consent-missing", TokenHash: event.Digest{1}, Reason: digest("no consent"), Act: new(digest(`{"sub":"x"}`)),
			Sealed: new(digest("")), Repeats: 12,
		},
	}
}

type liner interface {
	Append(b []byte) ([]byte, error)
}

func lineOf(t *testing.T, l liner) string {
	t.Helper()
	b, err := l.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	eventLine = `{"n":0,"idx":17,"tenant":"north","stream":"0198a1b2-0000-7000-8000-000000000001","version":3,` +
		`"id":"0198a1b2-0000-7000-8000-000000000002","name":"test.noted.v1","recordedAt":"2026-11-22T09:30:00.120000Z",` +
		`"patient":"0198a1b2-0000-7000-8000-000000000003","data":"{\"note\":\"[personal]\",\"é\":\"\\u2028\\n\"}",` +
		`"metadata":"{\"actor\":{\"kind\":\"service\"}}","sealed":"AQID"}` + "\n"
	accessLine = `{"n":4,"idx":5,"requestId":"0198a1b2-0000-7000-8000-000000000002","at":"2026-11-22T09:30:00.120000Z","tenant":"north",` +
		`"application":"0198a1b2-0000-7000-8000-000000000001","mode":"user-restricted","staff":"0198a1b2-0000-7000-8000-000000000003",` +
		`"endpoint":"create-note","patient":"0198a1b2-0000-7000-8000-000000000003","status":403,"code":"consent-missing",` +
		`"tokenHash":"0100000000000000000000000000000000000000000000000000000000000000","reason":"no consent","act":"{\"sub\":\"x\"}","sealed":"","repeats":12}` + "\n"
	hashLine = `{"n":5,"leaf":"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}` + "\n"
)

// The form is permanent: exports are stored, and read by other programs.
func TestLinesAreAlwaysWrittenSo(t *testing.T) {
	t.Parallel()
	for want, line := range map[string]liner{
		eventLine:  export.EventOf(0, stored(17)),
		accessLine: called(4),
		hashLine:   export.HashLine{N: 5, Leaf: tlog.Hash(sum(""))},
	} {
		if got := lineOf(t, line); got != want {
			t.Errorf("a line is\n%s, want\n%s", got, want)
		}
	}
}

func parse(t *testing.T, text string) export.Line {
	t.Helper()
	var p export.Parser
	line, ok := p.Parse([]byte(strings.TrimSuffix(text, "\n")))
	if !ok {
		t.Fatalf("this is taken for no line: %s", text)
	}
	return line
}

func TestALineReadsBackAsTheSameLeaf(t *testing.T) {
	t.Parallel()
	whole := export.EventOf(0, stored(17))
	var bare, parts, opened export.EventLine
	s := stored(9)
	s.Stream.Tenant, s.Patient, s.Sealed = "", uuid.Nil, nil
	bare, opened = export.EventOf(3, s), export.EventOf(0, stored(17))
	parts, opened.Opened = export.EventLine{N: 0, Leaf: whole.Leaf}, []byte(`{"note":"a cough"}`)
	for name, e := range map[string]export.EventLine{"whole": whole, "bare": bare, "parts left out": parts, "opened": opened} {
		if got := parse(t, lineOf(t, e)); got.Hash != e.Hash() || !reflect.DeepEqual(*got.Event, e) {
			t.Errorf("%s: it reads back as %+v, want %+v", name, *got.Event, e)
		}
	}
	call := called(4)
	none, lessened := call, export.AccessLine{N: 4, Leaf: call.Leaf}
	none.Act, none.Sealed, none.Leaf.Act, none.Leaf.Sealed, none.Leaf.Staff, none.Leaf.Patient = nil, nil, nil, nil, uuid.Nil, uuid.Nil
	for name, a := range map[string]export.AccessLine{"a call": call, "parts left out": lessened, "a bare call": none} {
		if got := parse(t, lineOf(t, a)); got.Hash != a.Hash() || !reflect.DeepEqual(*got.Access, a) {
			t.Errorf("%s: it reads back as %+v, want %+v", name, *got.Access, a)
		}
	}
	if got := parse(t, hashLine); got.N != 5 || got.Hash != tlog.Hash(sum("")) || got.Event != nil || got.Access != nil {
		t.Errorf("a hash reads back as %+v", got)
	}
}

// Another program may escape a text differently; it is the same text.
func TestATextMayBeEscapedOtherwise(t *testing.T) {
	t.Parallel()
	other := strings.NewReplacer("é", `\u00e9`, "north", `\u006Eorth`, "[p", `\u005bp`, "service", `\u0073ervice`).Replace(eventLine)
	if parse(t, other).Hash != parse(t, eventLine).Hash {
		t.Error("it is another leaf")
	}
	var p export.Parser
	line, ok := p.Parse([]byte(strings.Replace(strings.TrimSpace(eventLine), "[personal]", `\ud83d\ude00\/\b\f\n\r\t`, 1)))
	if !ok || !bytes.Contains(line.Event.Data, []byte("😀/\b\f\n\r\t")) {
		t.Errorf("escapes read as %q, %t", line.Event.Data, ok)
	}
}

func TestInvalidLinesAreRefused(t *testing.T) {
	t.Parallel()
	replaced := func(old, with string) string {
		if strings.Count(eventLine, old) != 1 {
			t.Errorf("%q stands in the line more than once, or not", old)
		}
		return strings.Replace(strings.TrimSpace(eventLine), old, with, 1)
	}
	for _, bad := range []string{
		"", "{}", "[]", "null", eventLine, " " + strings.TrimSpace(eventLine), strings.TrimSpace(eventLine) + " ",
		replaced(`"idx":17`, `"idx":017`), replaced(`"idx":17`, `"idx":-17`), replaced(`"idx":17`, `"idx":17.0`), replaced(`"idx":17`, `"idx":9223372036854775808`),
		replaced(`"version":3`, `"version":4294967299`), replaced(`"idx":17,`, `"idx":17, `), replaced(`"idx":17,`, `"idx":17,"idx":17,`),
		replaced(`"tenant":"north"`, `"tenant":null`), replaced(`"north"`, `"`+strings.Repeat("n", 65536)+`"`), replaced(`000001"`, `00000A"`),
		replaced(`0198a1b2-0000-7000-8000-000000000001`, `0198a1b2000070008000000000000001`), replaced(`.120000Z`, `.12Z`), replaced(`.120000Z`, `,120000Z`),
		replaced(`.120000Z`, `.120000+00:00`), replaced(`:30:`, `:60:`), replaced(`0198a1b2-0000-7000-8000-000000000003`, uuid.Nil.String()),
		replaced(`"AQID"`, `"AQIE="`), replaced(`"AQID"`, `"AQ ID"`), replaced(`"AQID"`, "\"AQ\rID\""), replaced(`"AQID"}`, `"AQID","more":1}`), replaced(`,"sealed":"AQID"`, `,"sealed":"AQID","sealed":"AQID"`),
		replaced(`"AQID"`, `"AR=="`), replaced(`"data":"`, `"data": "`), replaced(`[personal]`, "a\tb"), replaced(`[personal]`, "\xff"), replaced(`[personal]`, `\ud83d`),
		replaced(`[personal]`, `\ude00\ud83d`), replaced(`[personal]`, `\x41`), replaced(`[personal]`, `\u12`), replaced(`"data"`, `"dataSha256"`),
		strings.Replace(strings.TrimSpace(hashLine), "=", "", 1), `{"n":5,"leaf":"AQID"}`, `{"n":5}`, strings.Replace(strings.TrimSpace(accessLine), "403", "", 1),
		strings.Replace(strings.TrimSpace(accessLine), `"0100`, `"AA00`, 1), strings.Replace(strings.TrimSpace(accessLine), `"tokenHash":"01`, `"tokenHash":"`, 1),
	} {
		var p export.Parser
		if _, ok := p.Parse([]byte(bad)); ok {
			t.Errorf("this is taken for a line: %.200s", bad)
		}
	}
}

func TestPartOfLineIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{eventLine, accessLine, hashLine} {
		line = strings.TrimSpace(line)
		for end := range len(line) {
			var p export.Parser
			if _, ok := p.Parse([]byte(line[:end])); ok {
				t.Errorf("this is taken for a line: %s", line[:end])
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{eventLine, accessLine, hashLine} {
		f.Add([]byte(strings.TrimSpace(line)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p, again export.Parser
		line, ok := p.Parse(text)
		if !ok {
			return
		}
		var written liner = export.HashLine{N: line.N, Leaf: line.Hash}
		switch {
		case line.Event != nil:
			written = line.Event
		case line.Access != nil:
			written = line.Access
		}
		b, err := written.Append(nil)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", text, err)
		}
		if back, ok := again.Parse(b[:len(b)-1]); !ok || back.Hash != line.Hash || back.N != line.N {
			t.Errorf("%q reads back as %+v, %t", b, back, ok)
		}
	})
}

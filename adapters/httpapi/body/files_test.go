package body_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// read returns the tree of a body.
func read(t *testing.T, s *httpapitest.Shelf, text string) (any, error) {
	t.Helper()
	return body.Tree(&body.Files{Tenant: "elm-street", Uploads: s}, t.Context(), strings.NewReader(text))
}

// data returns the content of the first attachment.
func data(t *testing.T, tree any) request.Content {
	t.Helper()
	content, ok := tree.(map[string]any)["attachments"].([]any)[0].(map[string]any)["data"].(request.Content)
	if !ok {
		t.Fatalf("the data of the first attachment was not read: %v", tree)
	}
	return content
}

func attachment(data string) string { return `{"attachments":[{"data":"` + data + `"}]}` }

func TestFilesAreStoredWhileTheyArrive(t *testing.T) {
	t.Parallel()
	s, keys := &httpapitest.Shelf{}, map[string]bool{}
	for n, size := range []int{1, 2, 3, 4, 1000, 256<<10 - 1, 256 << 10, 256<<10 + 1, 512 << 10, 1 << 20, 10 << 20} {
		want := httpapitest.Noise(uint64(size), size)
		tree, err := read(t, s, attachment(base64.StdEncoding.EncodeToString(want)))
		if err != nil {
			t.Fatal(err)
		}
		got := data(t, tree)
		if opened := opened(t, s, got); !bytes.Equal(opened, want) || got.Size != int64(size) || !got.Base64 {
			t.Errorf("%d bytes are kept as %d others: %+v", size, len(opened), got)
		}
		if kept := s.File(got.ID); sha256.Sum256(kept) != got.SHA256 || size > 32 && bytes.Contains(kept, want[:32]) {
			t.Errorf("%d bytes are kept as they are, or are not what is told", size)
		}
		if keys[got.Key] = true; len(keys) != n+1 {
			t.Error("two files have one key")
		}
	}
}

// opened decrypts a file.
func opened(t *testing.T, s *httpapitest.Shelf, of request.Content) []byte {
	t.Helper()
	plain, err := s.Opened(of.ID, of.Key)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestABodyThatIsCutIsRefused(t *testing.T) {
	t.Parallel()
	whole := attachment(`YWJj\/\u002BYWJj\ud83d\ude00`)
	for n := range whole {
		if _, err := read(t, &httpapitest.Shelf{}, whole[:n]); !errors.Is(err, body.ErrInvalid) {
			t.Errorf("%s: %v", whole[:n], err)
		}
	}
}

// escapedName is the longest form of "attachments".
const escapedName = `\u0061\u0074\u0074\u0061\u0063\u0068\u006d\u0065\u006e\u0074\u0073`

func TestOnlyTheDataOfAttachmentsIsTakenOut(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"data":"YWJj"}`,
		`{"attachments":"YWJj"}`,
		`{"attachments":{"data":"YWJj"}}`,
		`{"attachments":["data","YWJj"]}`,
		`{"attachments":[["data","YWJj"]]}`,
		`{"attachments":[[{"data":"YWJj"}]]}`,
		`{"attachments":[{"x":{"data":"YWJj"}}]}`,
		`{"attachments":[{"x":["data"],"y":"YWJj"}]}`,
		`{"attachments":[{"datas":"YWJj","dat":"YWJj","Data":"YWJj","":"YWJj"}]}`,
		`{"attachments":[],"x":[{"data":"YWJj"}]}`,
		`{"attachments":null,"x":[{"data":"YWJj"}]}`,
		`{"x":{"attachments":[{"data":"YWJj"}]}}`,
		`{"x":"attachments","y":[{"data":"YWJj"}]}`,
		`{"Attachments":[{"data":"YWJj"}]}`,
		`{"attachments\u0000":1}`,
		`[{"attachments":[{"data":"YWJj"}]}]`,
		`[[[{"data":"YWJj"}]]]`,
		`"data"`,
		`{"` + strings.Repeat("a", 100) + `":[{"data":"YWJj"}]}`,
		`{"` + escapedName + `s":[{"data":"YWJj"}]}`,
	} {
		s := &httpapitest.Shelf{}
		got, err := read(t, s, text)
		want, plain := body.ReadJSON(strings.NewReader(text))
		if (err == nil) != (plain == nil) || s.Stored() > 0 {
			t.Errorf("%s: %v, without a diverter %v; stored %d bytes", text, err, plain, s.Stored())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestNoMoreIsStoredThanMayBeSent_8(t *testing.T) {
	t.Parallel()
	file := `{"data":"` + base64.StdEncoding.EncodeToString(httpapitest.Noise(3, 1000)) + `"},`
	s := &httpapitest.Shelf{}
	tree, err := read(t, s, `{"attachments":[`+strings.Repeat(file, 6)+`{"data":"!"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	items := tree.(map[string]any)["attachments"].([]any)
	want := request.Content{Base64: true, Size: 1000}
	if got := items[5].(map[string]any)["data"]; got != want {
		t.Errorf("of the sixth is told %+v", got)
	}
	if got := items[6].(map[string]any)["data"]; got != (request.Content{Mistake: request.Mistake{Is: request.OtherText}}) {
		t.Errorf("of the seventh is told %+v", got)
	}
	if s.Stored() != 5*1028 { // each part is 28 bytes longer encrypted
		t.Errorf("%d bytes of five files are stored", s.Stored())
	}

	s = &httpapitest.Shelf{}
	tree, err = read(t, s, attachment(base64.StdEncoding.EncodeToString(make([]byte, 11<<20))))
	if got := data(t, tree); err != nil || got != (request.Content{Base64: true, Size: 11 << 20}) || s.Stored() > 10<<20+40*28 {
		t.Errorf("of 11 MiB, %d bytes are stored; told %+v, %v", s.Stored(), got, err)
	}
}

func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	four := `[` + text(1<<20) + `,` + text(1<<20) + `,` + text(1<<20) + `,` + text(1<<20-100)
	for name, test := range map[string]struct {
		body string
		want error
	}{
		"the longest":        {text(1 << 20), nil},
		"longer":             {text(1<<20 + 1), body.ErrInvalid},
		"a longer name":      {`{` + text(1<<20+1) + `:1}`, body.ErrInvalid},
		"the most":           {four + `]`, nil},
		"more":               {four + `,` + text(100) + `]`, fault.New(fault.TooLarge, "request-too-large", "")},
		"many values":        {`[` + strings.Repeat(`0,`, 1<<16-2) + `0]`, nil},
		"too many values":    {`[` + strings.Repeat(`0,`, 1<<16-1) + `0]`, fault.New(fault.TooLarge, "request-too-large", "")},
		"deep is malformed":  {strings.Repeat(`[`, 60_000), body.ErrInvalid},
		"a file is no text":  {attachment(strings.Repeat("YWJj", 1<<20)), nil},
		"nor is bad base64":  {attachment(strings.Repeat("!", 2<<20)), nil},
		"nor with an escape": {attachment(strings.Repeat(`\u002f`, 400_000)), nil},
	} {
		if _, err := read(t, &httpapitest.Shelf{}, test.body); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestStorageErrorEndsReading(t *testing.T) {
	t.Parallel()
	away := errors.New("the database is away")
	s := &httpapitest.Shelf{Fails: away}
	b := &body.Files{Tenant: "elm-street", Uploads: s}
	_, err := b.Read(t.Context(), strings.NewReader(attachment(base64.StdEncoding.EncodeToString(httpapitest.Noise(4, 1<<20)))))
	if !errors.Is(err, away) {
		t.Errorf("error %v", err)
	}
	if err := b.Close(t.Context()); err != nil || len(s.Discarded) != 1 {
		t.Errorf("discarded %v, %v", s.Discarded, err)
	}
}

func TestWithoutFilesNothingIsDiscarded(t *testing.T) {
	t.Parallel()
	s := &httpapitest.Shelf{}
	b := &body.Files{Tenant: "elm-street", Uploads: s}
	if _, err := b.Read(t.Context(), strings.NewReader(attachment(""))); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

package body_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/request"
)

// A body reads the same with and without the diverter, in whatever pieces it arrives.
func FuzzDiverter(f *testing.F) {
	for _, seed := range []string{
		attachment("YWJj"), attachment(`YW\/j\u002B`), attachment("YQ=="), attachment("!"), attachment(`\ud83d\ude00`),
		`{"attachments":[{"data":"YWJj","data":"YWJj"}]}`, `{"attachments":[{"d\u0061ta":""},{"data":null}],"x":[1,"y\""]}`,
		`{"attachments":[{"data":"a"}],"attachments":[]}`, `{"a":{"attachments":[{"data":"x"}]}}`, `[]`, `{"attachments":[{"data":"` + "\x00",
		`{"attachments":[{"data":{"data":"a"}},{"x":[],"data":"YQ=="}]}`, `{"attachments":[{"data":"a":"b"}]}`, `{"attachments"[{"data":"YWJj"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, in := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
			"with its end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			want, plain := body.ReadJSON(strings.NewReader(text))
			s := &httpapitest.Shelf{}
			got, err := body.Tree(&body.Files{Tenant: "elm-street", Uploads: s}, t.Context(), in)
			if (err == nil) != (plain == nil) {
				t.Fatalf("%s: %v, without a diverter %v", name, err, plain)
			}
			if err == nil {
				wantSame(t, s, want, got)
			}
		}
	})
}

// wantSame compares a tree with one that was read without a diverter.
func wantSame(t *testing.T, s *httpapitest.Shelf, want, got any) {
	t.Helper()
	kept := 0
	for i, item := range attachmentsOf(want) {
		text, ok := item["data"].(string)
		if !ok {
			continue
		}
		kept++
		content := attachmentsOf(got)[i]["data"].(request.Content)
		wanted := wantContent(text, content.ID, kept <= request.MaxAttachments)
		if content.Key != "" {
			plain, _ := base64.StdEncoding.DecodeString(text)
			if kept := opened(t, s, content); !bytes.Equal(kept, plain) {
				t.Errorf("%q is kept as %q", text, kept)
			}
			wanted.SHA256, wanted.Key = sha256.Sum256(s.File(content.ID)), content.Key
		}
		item["data"] = wanted
		if content.Base64 != item["data"].(request.Content).Base64 {
			t.Errorf("%q is base64: %v", text, content.Base64)
		}
		if !content.Base64 { // how much of it was decoded before the mistake does not matter
			item["data"] = content
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// wantContent reads a file in the slow and obvious way.
func wantContent(text string, id request.AttachmentID, kept bool) request.Content {
	plain, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return request.Content{}
	}
	if !kept {
		return request.Content{Base64: true, Size: int64(len(plain))}
	}
	return request.Content{ID: id, Base64: true, Size: int64(len(plain))}
}

func attachmentsOf(tree any) (found []map[string]any) {
	root, _ := tree.(map[string]any)
	items, _ := root["attachments"].([]any)
	for _, item := range items {
		file, _ := item.(map[string]any)
		found = append(found, file)
	}
	return found
}

package request_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/request"
)

var scan = request.Attachment{
	ID:       request.AttachmentID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")},
	FileName: "rash.jpg", ContentType: "image/jpeg", Size: 3, SHA256: sha256.Sum256([]byte("abc")),
}

// The shape of a stored attachment is as permanent as that of its event.
func TestStoredAttachments(t *testing.T) {
	t.Parallel()
	const stored = `{"id":"0190c7a2-0000-7000-8000-0000000000f1","fileName":"rash.jpg","contentType":"image/jpeg","size":3,` +
		`"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}`
	got, err := json.Marshal(scan)
	if err != nil || string(got) != stored {
		t.Errorf("stored as %s, %v", got, err)
	}
	var back request.Attachment
	if err := json.Unmarshal([]byte(stored), &back); err != nil || back != scan {
		t.Errorf("read back as %+v, %v", back, err)
	}
}

// The key of a file is stored only if there is one. It is never shown.
func TestStoredAttachmentsWithAKey(t *testing.T) {
	t.Parallel()
	sealed := scan
	sealed.Key = "a2V5"
	submitted := request.Submitted(submission)
	submitted.Attachments = []request.Attachment{sealed}
	eventtest.GoldenIn(t, "testdata/sealed", submitted)
	for name, show := range map[string]func(any) ([]byte, error){"hidden": event.Redacted, "shown": event.WithoutSecrets} {
		if shown, err := show(submitted); err != nil || bytes.Contains(shown, []byte("a2V5")) || !bytes.Contains(shown, []byte(`"key":"[personal]"`)) {
			t.Errorf("%s: %s, %v", name, shown, err)
		}
	}
	if submitted.Attachments[0].Key != "a2V5" {
		t.Error("what was shown was changed")
	}
}

func TestTheNameOfAFileIsPersonal(t *testing.T) {
	t.Parallel()
	shown, err := event.Redacted(request.Submitted{Attachments: []request.Attachment{scan}})
	if err != nil {
		t.Fatal(err)
	}
	var tree struct{ Attachments []map[string]any }
	if err := json.Unmarshal(shown, &tree); err != nil {
		t.Fatal(err)
	}
	if got := tree.Attachments[0]; got["fileName"] != event.Hidden || got["contentType"] != "image/jpeg" {
		t.Errorf("an auditor is shown %v", got)
	}
}

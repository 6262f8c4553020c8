package projections_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

func TestAnAttachmentIsFoundByItsIdentifier(t *testing.T) {
	t.Parallel()
	d, ids := newDay(t), [2]request.AttachmentID{{UUID: event.NewID()}, {UUID: event.NewID()}}
	kept := &uploads.Store{DB: postgres.On(d.Pool), Now: d.Store.Now}
	files := make([]request.Attachment, len(ids))
	for i, id := range ids {
		if err := kept.AddChunk(t.Context(), elm, id, 0, []byte("abc")); err != nil {
			t.Fatal(err)
		}
		files[i] = request.Attachment{ID: id, FileName: "rash.jpg", ContentType: "image/jpeg", Size: int64(i), SHA256: event.Digest{byte(i)}}
	}
	made := request.ID{UUID: event.NewID()}
	d.happened(t.Context(), t, elm, made.UUID, 0, request.Submitted{Patient: ann, Attachments: files})

	attachments := projections.Attachments{DB: d.Pool, Opens: d.Keys}
	for i, id := range ids {
		got, err := attachments.Attachment(t.Context(), id)
		want := projections.Attachment{Attachment: files[i], Tenant: elm, Request: made, Patient: ann}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v; (-want +got):\n%s", err, diff)
		}
	}
	if _, err := attachments.Attachment(t.Context(), request.AttachmentID{UUID: uuid.New()}); !errors.Is(err, request.ErrUnknownAttachment) {
		t.Errorf("of no attachment: %v", err)
	}
}

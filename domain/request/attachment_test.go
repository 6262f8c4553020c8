package request_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

var (
	scanID = request.AttachmentID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	scan   = request.Attachment{
		ID: scanID, FileName: "rash.jpg", ContentType: "image/jpeg", Size: 3, SHA256: sha256.Sum256([]byte("abc")),
	}
)

type object = map[string]any

// sound is what is read of [scan]; changed says what is different.
func sound(changed object) object {
	file := object{
		"fileName": "rash.jpg", "contentType": "image/jpeg",
		"data": request.Content{ID: scanID, Base64: true, Size: 3, SHA256: scan.SHA256},
	}
	maps.Copy(file, changed)
	return file
}

func content(size int64) request.Content {
	return request.Content{ID: scanID, Base64: true, Size: size}
}

func withAttachments(t *testing.T, attachments any) object {
	t.Helper()
	all := body(t, `{}`).(object)
	all["attachments"] = attachments
	return all
}

func TestAttachmentsAreNamedByTheEvent_2_4(t *testing.T) {
	t.Parallel()
	got, err := request.Parse(withAttachments(t, []any{sound(nil), sound(object{"unknown": true})}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]request.Attachment{scan, scan}, got.Attachments); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, none := range []any{nil, []any{}} {
		if got, err := request.Parse(withAttachments(t, none)); err != nil || got.Attachments != nil {
			t.Errorf("%v: %v, %v", none, got.Attachments, err)
		}
	}
}

func TestFaultsOfAnAttachment_D21(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changed object
		want    []string
	}{
		"JPEG":                     {object{"contentType": "image/jpeg"}, nil},
		"PNG":                      {object{"contentType": "image/png"}, nil},
		"DOC":                      {object{"contentType": "application/msword"}, nil},
		"DOCX":                     {object{"contentType": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}, nil},
		"another type":             {object{"contentType": "image/gif"}, []string{"unsupported-file-type"}},
		"a type in another case":   {object{"contentType": "image/JPEG"}, []string{"unsupported-file-type"}},
		"a type with a parameter":  {object{"contentType": "image/png; q=1"}, []string{"unsupported-file-type"}},
		"no type":                  {object{"contentType": nil}, []string{"unsupported-file-type"}},
		"a type that is no string": {object{"contentType": 1.0}, []string{"unsupported-file-type"}},
		"the largest":              {object{"data": content(10_485_760)}, nil},
		"one byte more":            {object{"data": content(10_485_761)}, []string{"attachment-too-large"}},
		"no base64":                {object{"data": request.Content{Size: 3}}, []string{"invalid-attachment-content"}},
		"empty":                    {object{"data": content(0)}, []string{"invalid-attachment-content"}},
		"missing":                  {object{"data": nil}, []string{"invalid-attachment-content"}},
		"data that is no string":   {object{"data": []any{}}, []string{"invalid-attachment-content"}},
		"the first fault only":     {object{"data": nil, "contentType": "x"}, []string{"invalid-attachment-content"}},
		"too large comes before the type": {
			object{"data": content(1 << 30), "contentType": "x"}, []string{"attachment-too-large"}},
		"no base64 comes before too large": {
			object{"data": request.Content{Size: 1 << 30}}, []string{"invalid-attachment-content"}},
		"no name":                  {object{"fileName": nil}, []string{"invalid-request-body"}},
		"a blank name":             {object{"fileName": " \t"}, []string{"invalid-request-body"}},
		"a name that is no string": {object{"fileName": 1.0}, []string{"invalid-request-body"}},
		"a name in another case":   {object{"Data": "x"}, []string{"invalid-request-body"}},
	} {
		_, err := request.Parse(withAttachments(t, []any{sound(test.changed)}))
		if diff := cmp.Diff(test.want, codes(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, shape := range []any{"x", object{}, false, []any{"x"}, []any{nil}, []any{[]any{}}} {
		if _, err := request.Parse(withAttachments(t, shape)); !errors.Is(err, request.ErrInvalidBody) {
			t.Errorf("attachments are %v: %v", shape, err)
		}
	}
}

func TestFiveAttachmentsAreAllowed_8(t *testing.T) {
	t.Parallel()
	five := []any{sound(nil), sound(nil), sound(nil), sound(nil), sound(nil)}
	if _, err := request.Parse(withAttachments(t, five)); err != nil {
		t.Errorf("five: %v", err)
	}
	_, err := request.Parse(withAttachments(t, append(five, sound(nil))))
	if diff := cmp.Diff([]string{"too-many-attachments"}, codes(err)); diff != "" {
		t.Errorf("six (-want +got):\n%s", diff)
	}
}

func TestFaultsOfAttachmentsAreInTheOrderOfTheTable_D2(t *testing.T) {
	t.Parallel()
	all := withAttachments(t, []any{
		sound(object{"contentType": "x"}),
		sound(object{"data": content(1 << 30)}),
		sound(object{"data": nil}),
		sound(nil),
		sound(object{"contentType": "y"}),
		sound(object{"data": request.Content{}}),
	})
	maps.Copy(all, object{"patientId": "x", "proxyDetails": "x", "response": nil})

	_, err := request.Parse(all)
	list, _ := errors.AsType[fault.List](err)
	var got []string
	for _, f := range list {
		got = append(got, f.Code+" "+f.Detail[:min(14, len(f.Detail))])
	}
	want := []string{
		"invalid-patient-id patientId is n",
		"invalid-proxy-details proxyDetails n",
		"too-many-attachments attachments ha",
		"invalid-attachment-content attachments[2]",
		"invalid-attachment-content attachments[5]",
		"attachment-too-large attachments[1]",
		"unsupported-file-type attachments[0]",
		"unsupported-file-type attachments[4]",
		"empty-response response needs",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
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

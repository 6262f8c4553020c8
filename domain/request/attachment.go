package request

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Limits of attachments (§8). The size is in decoded bytes, inclusive (D21).
const (
	MaxAttachments    = 5
	MaxAttachmentSize = 10 << 20
)

// contentTypes are those of §2.4, compared exactly (D21).
var contentTypes = []string{
	"image/jpeg",
	"image/png",
	"application/msword",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// What attachments are refused for: the codes of §7.1.
var (
	ErrTooManyAttachments       = fault.New(fault.Invalid, "too-many-attachments", "attachments must have at most 5 items.")
	ErrInvalidAttachmentContent = fault.New(fault.Invalid, "invalid-attachment-content", "An attachment's data must be base64, and not empty.")
	ErrAttachmentTooLarge       = fault.New(fault.Invalid, "attachment-too-large", "An attachment must have at most 10 MB.")
	ErrUnsupportedFileType      = fault.New(fault.Invalid, "unsupported-file-type", "An attachment must be JPEG, PNG, DOC or DOCX.")
)

// AttachmentID identifies a file sent with a request, and what is kept of it.
type AttachmentID struct{ uuid.UUID }

// Attachment is a file sent with a request (§2.4). What is in it is kept
// outside the log, under its ID.
type Attachment struct {
	ID          AttachmentID `json:"id"`
	FileName    string       `json:"fileName" personal:"patient"`
	ContentType string       `json:"contentType"`
	Size        int64        `json:"size"` // bytes
	SHA256      event.Digest `json:"sha256"`
}

// Content is what an attachment's data turned out to be. Files are too large to
// wait in memory for the rest of the body, so whoever reads the body decodes
// them on the way. A Content says what was found and judges nothing; the zero
// Content is that of data that is missing or no text.
type Content struct {
	ID     AttachmentID // under which it is kept; zero when it is not
	Base64 bool         // the data was base64 as D21 wants it
	Size   int64        // decoded bytes, also of what was too large to keep
	SHA256 event.Digest // of what is kept
}

// File is a file as it was sent, before anybody has judged it.
type File struct {
	Name        string
	ContentType string // as it was declared; "" when it is missing or no text
	Content     Content
}

// Attach judges the files of a request. It reports one fault for each of them,
// its first; code by code, as all faults are reported (D2).
func Attach(files []File) ([]Attachment, fault.List) {
	var many, faults fault.List
	if len(files) > MaxAttachments {
		many = fault.List{ErrTooManyAttachments.With("attachments must have at most %d items, and has %d.", MaxAttachments, len(files))}
	}
	var attachments []Attachment
	for i, file := range files {
		if refusal := file.fault(placeOf("attachments", i)); refusal != nil {
			faults = append(faults, refusal)
		}
		attachments = append(attachments, Attachment{file.Content.ID, file.Name, file.ContentType, file.Content.Size, file.Content.SHA256})
	}
	slices.SortStableFunc(faults, func(a, b *fault.Error) int { return rank(a) - rank(b) })
	return attachments, append(many, faults...)
}

// fault is the first thing that is wrong with the file; nil when nothing is.
func (f File) fault(place string) *fault.Error {
	switch {
	case !f.Content.Base64 || f.Content.Size == 0:
		return ErrInvalidAttachmentContent.With("%s.data must be base64, and not empty.", place)
	case f.Content.Size > MaxAttachmentSize:
		return ErrAttachmentTooLarge.With("%s must have at most %d bytes.", place, MaxAttachmentSize)
	case !slices.Contains(contentTypes, f.ContentType):
		return ErrUnsupportedFileType.With("%s.contentType must be one of: %s.", place, strings.Join(contentTypes, ", "))
	}
	return nil
}

// rank is the place of an attachment's fault in the table of §7.1.
func rank(f *fault.Error) int {
	return slices.Index([]string{ErrInvalidAttachmentContent.Code, ErrAttachmentTooLarge.Code, ErrUnsupportedFileType.Code}, f.Code)
}

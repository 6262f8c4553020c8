package request

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Limits of attachments (D21). The size is in decoded bytes, inclusive.
const (
	MaxAttachments    = 5
	MaxAttachmentSize = 10 << 20
)

// contentTypes are the media types that are accepted. They are compared exactly.
var contentTypes = []string{
	"image/jpeg",
	"image/png",
	"application/msword",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// The refusals of attachments.
var (
	ErrTooManyAttachments       = fault.New(fault.Invalid, "too-many-attachments", "attachments must have at most 5 items.")
	ErrInvalidAttachmentContent = fault.New(fault.Invalid, "invalid-attachment-content", "An attachment's data must be base64, and not empty.")
	ErrAttachmentTooLarge       = fault.New(fault.Invalid, "attachment-too-large", "An attachment must have at most 10 MB.")
	ErrUnsupportedFileType      = fault.New(fault.Invalid, "unsupported-file-type", "An attachment must be JPEG, PNG, DOC or DOCX.")
)

// AttachmentID identifies a file that was sent with a request.
type AttachmentID struct{ uuid.UUID }

// Attachment is a file that was sent with a request. Its content is kept outside
// the log, under its ID, and sealed there with a key of its own. Without a key the
// content is as it was sent; that of old files is.
type Attachment struct {
	ID          AttachmentID `json:"id"`
	FileName    string       `json:"fileName" personal:"request"`
	ContentType string       `json:"contentType"`
	Size        int64        `json:"size"`   // bytes, as it was sent
	SHA256      event.Digest `json:"sha256"` // of what is kept, so of sealed content: it confirms no guess
	Key         string       `json:"key,omitempty" personal:"request" secret:"true"`
}

func (s Submitted) files() (ids []AttachmentID) {
	for _, a := range s.Attachments {
		ids = append(ids, a.ID)
	}
	return ids
}

// Content says what an attachment's data turned out to be. Files are too large
// to wait in memory for the rest of the body, so they are decoded while the body
// is read. A Content only says what was found; the rules judge it. It is zero if
// the data is missing or not a text.
type Content struct {
	ID     AttachmentID // under which it is kept; zero if it is not kept
	Base64 bool         // the data was strict base64
	Size   int64        // decoded bytes, even if they were too many to keep
	SHA256 event.Digest // of what is kept
	Key    string       // with which it is sealed; "" if it is kept as it is
}

// File is a file as it was sent, not judged yet.
type File struct {
	Name        string
	ContentType string // as it was declared; "" if it is missing or not a text
	Content     Content
}

// Attach judges the files of a request. It reports the first fault of each file,
// in the order of the codes.
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
		attachments = append(attachments, Attachment{
			ID: file.Content.ID, FileName: file.Name, ContentType: file.ContentType,
			Size: file.Content.Size, SHA256: file.Content.SHA256, Key: file.Content.Key,
		})
	}
	slices.SortStableFunc(faults, func(a, b *fault.Error) int { return rank(a) - rank(b) })
	return attachments, append(many, faults...)
}

// fault returns the first fault of the file; nil if it has none.
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

// rank returns the place of an attachment's fault in the order of the codes.
func rank(f *fault.Error) int {
	return slices.Index([]string{ErrInvalidAttachmentContent.Code, ErrAttachmentTooLarge.Code, ErrUnsupportedFileType.Code}, f.Code)
}

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

// The refusals of attachments. The first verb is the place of one.
var (
	ErrTooManyAttachments       = fault.New(fault.Invalid, "too-many-attachments", "attachments must have at most %d items, and has %d.")
	ErrInvalidAttachmentContent = fault.New(fault.Invalid, "invalid-attachment-content", "%s.data must be given: the file as a string of base64.")
	ErrEmptyAttachment          = ErrInvalidAttachmentContent.Worded("%s.data is empty: it must be the file as base64.")
	ErrAttachmentTooLarge       = fault.New(fault.Invalid, "attachment-too-large", "%s must have at most %d bytes.")
	ErrUnsupportedFileType      = fault.New(fault.Invalid, "unsupported-file-type", "%s.contentType must be one of: %s.")
)

// The possible mistakes in the data of an attachment. Each names the place and the
// number of characters before the mistake, and never repeats the data.
var (
	DataURL      = ErrInvalidAttachmentContent.Worded("%[1]s.data starts with data: and so is a data URL. Send only what comes after its comma.")
	Base64URL    = ErrInvalidAttachmentContent.Worded("%[1]s.data is base64url: after %[2]d characters it has - or _ where base64 has + or /.")
	BrokenLines  = ErrInvalidAttachmentContent.Worded("%[1]s.data has a space or a line break after %[2]d characters: send base64 without them.")
	WrongPadding = ErrInvalidAttachmentContent.Worded("%[1]s.data is padded wrongly after %[2]d characters: base64 comes in groups of four, the last filled up with = and nothing after it.")
	OtherText    = ErrInvalidAttachmentContent.Worded("%[1]s.data is not base64: after %[2]d characters it has one that base64 does not know.")
)

// Mistake is the reason why the data of an attachment is not base64. It is zero if it
// is.
type Mistake struct {
	Is *fault.Error // one of [DataURL], [Base64URL], [BrokenLines], [WrongPadding] and [OtherText]
	At int          // characters before it
}

// AttachmentID identifies a file that was sent with a request.
type AttachmentID struct{ uuid.UUID }

// Attachment is a file that was sent with a request. Its content is stored outside the
// log, under its ID, encrypted with a key of its own. Without a key the content is
// stored in clear, as with old files.
type Attachment struct {
	ID          AttachmentID `json:"id"`
	FileName    string       `json:"fileName" personal:"request"`
	ContentType string       `json:"contentType"`
	Size        int64        `json:"size"`   // bytes, before encryption
	SHA256      event.Digest `json:"sha256"` // of the stored, encrypted content, so it confirms no guess
	Key         string       `json:"key,omitempty" personal:"request" secret:"true"`
}

func (s Submitted) files() (ids []AttachmentID) {
	for _, a := range s.Attachments {
		ids = append(ids, a.ID)
	}
	return ids
}

// Content describes the decoded data of an attachment. Files are too large to wait in
// memory for the rest of the body, so they are decoded while the body is read. A
// Content only has the findings; the rules judge it. It is zero if the data is missing
// or not a text.
type Content struct {
	ID      AttachmentID // under which it is stored; zero if it is not stored
	Base64  bool         // the data was strict base64
	Mistake Mistake      // the reason if the data was a text and not base64
	Size    int64        // decoded bytes, even if they were too many to store
	SHA256  event.Digest // of the stored content
	Key     string       // of its encryption; "" if it is stored in clear
}

// File is a file of a request before the rules are applied.
type File struct {
	Name        string
	ContentType string // as declared; "" if it is missing or not a text
	Content     Content
}

// Attach validates the files of a request. It reports the first fault of each file, in
// the order of the codes.
func Attach(files []File) ([]Attachment, fault.List) {
	var many, faults fault.List
	if len(files) > MaxAttachments {
		many = fault.List{ErrTooManyAttachments.Filled(MaxAttachments, len(files))}
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
	switch c := f.Content; {
	case c.Mistake.Is != nil:
		return c.Mistake.Is.Filled(place, c.Mistake.At)
	case !c.Base64:
		return ErrInvalidAttachmentContent.Filled(place)
	case c.Size == 0:
		return ErrEmptyAttachment.Filled(place)
	case c.Size > MaxAttachmentSize:
		return ErrAttachmentTooLarge.Filled(place, MaxAttachmentSize)
	case !slices.Contains(contentTypes, f.ContentType):
		return ErrUnsupportedFileType.Filled(place, strings.Join(contentTypes, ", "))
	}
	return nil
}

// rank returns the position of an attachment's fault in the order of the codes.
func rank(f *fault.Error) int {
	return slices.Index([]string{ErrInvalidAttachmentContent.Code, ErrAttachmentTooLarge.Code, ErrUnsupportedFileType.Code}, f.Code)
}

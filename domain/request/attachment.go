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

// Content is what an attachment's data turned out to be. Files are too large
// to wait in memory for the rest of the body, so whoever reads the body
// decodes them on the way, and a Content stands in the tree where the string
// was. It says what was found and judges nothing.
type Content struct {
	ID     AttachmentID // under which it is kept; zero when it is not
	Base64 bool         // the data was base64 as D21 wants it
	Size   int64        // decoded bytes, also of what was too large to keep
	SHA256 event.Digest // of what is kept
}

// contentTypes are those of §2.4, compared exactly (D21).
var contentTypes = []string{
	"image/jpeg",
	"image/png",
	"application/msword",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}

// attachments reports one fault for each attachment, its first; code by code,
// as all faults are reported (D2).
func (p *parser) attachments(value any) []Attachment {
	items, _ := value.([]any)
	if len(items) > MaxAttachments {
		p.refuse(ErrTooManyAttachments.With("attachments has %d items; %d are allowed.", len(items), MaxAttachments))
	}
	var files []Attachment
	var faults fault.List
	for i, item := range items {
		file, err := attachmentOf(item.(map[string]any), placeOf("attachments", i))
		if err != nil {
			faults = append(faults, err)
		}
		files = append(files, file)
	}
	slices.SortStableFunc(faults, func(a, b *fault.Error) int { return rank(a) - rank(b) })
	p.faults = append(p.faults, faults...)
	return files
}

// rank is the place of an attachment's fault in the table of §7.1.
func rank(f *fault.Error) int {
	return slices.Index([]string{ErrInvalidAttachmentContent.Code, ErrAttachmentTooLarge.Code, ErrUnsupportedFileType.Code}, f.Code)
}

func attachmentOf(item map[string]any, place string) (Attachment, *fault.Error) {
	content, read := item["data"].(Content)
	contentType, _ := item["contentType"].(string)
	switch {
	case !read || !content.Base64 || content.Size == 0:
		return Attachment{}, ErrInvalidAttachmentContent.With("%s.data is not base64, or empty.", place)
	case content.Size > MaxAttachmentSize:
		return Attachment{}, ErrAttachmentTooLarge.With("%s is larger than %d bytes.", place, MaxAttachmentSize)
	case !slices.Contains(contentTypes, contentType):
		return Attachment{}, ErrUnsupportedFileType.With("%s.contentType is none of: %s.", place, strings.Join(contentTypes, ", "))
	}
	return Attachment{content.ID, item["fileName"].(string), contentType, content.Size, content.SHA256}, nil
}

// checkAttachments finds what §7.1 has no code for (D20, D21).
func checkAttachments(value any) error {
	items, ok := value.([]any)
	if !ok && value != nil {
		return ErrInvalidBody.With("attachments is an array or null.")
	}
	for i, item := range items {
		place := placeOf("attachments", i)
		object, ok := item.(map[string]any)
		if !ok {
			return ErrInvalidBody.With("%s is an object.", place)
		}
		if err := checkNames(object, place+".", attachmentFields); err != nil {
			return err
		}
		if name, _ := object["fileName"].(string); strings.TrimSpace(name) == "" {
			return ErrInvalidBody.With("%s.fileName is missing or blank.", place)
		}
	}
	return nil
}

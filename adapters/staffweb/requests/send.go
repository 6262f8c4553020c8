package requests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode"
)

// pieceBytes is the size of one read. Two pieces are in memory.
const pieceBytes = 32 << 10

// errSpoilt: the file cannot be read to its end, or is not as it was uploaded.
var errSpoilt = errors.New("the file cannot be read whole")

// send copies a file, always one piece behind. The reader reports at its end whether
// the file is intact. If not, the last piece is never sent, and the browser sees that
// the file is incomplete: that is [errSpoilt]. Any other error is the browser's.
func send(to io.Writer, file io.Reader) error {
	ahead, behind, held := make([]byte, pieceBytes), make([]byte, pieceBytes), 0
	for {
		n, err := io.ReadFull(file, ahead)
		whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !whole {
			return fmt.Errorf("%w: %w", errSpoilt, err)
		}
		if _, err := to.Write(behind[:held]); err != nil {
			return fmt.Errorf("send a file: %w", err)
		}
		if whole {
			_, err := to.Write(ahead[:n])
			return err
		}
		ahead, behind, held = behind, ahead, n
	}
}

// kind is how browsers handle a media type.
type kind struct {
	words     string   // its description for staff
	endings   []string // extensions; a name without one of them gets the first
	begins    string   // the first bytes of its files; "" if they are not known
	shownHere bool     // in the browser; otherwise it is downloaded
}

// kinds are those of D21. Any other is downloaded under a name that no program opens.
var kinds = map[string]kind{
	"image/jpeg":         {"picture", []string{".jpg", ".jpeg"}, "\xff\xd8\xff", true},
	"image/png":          {"picture", []string{".png"}, "\x89PNG\r\n\x1a\n", true},
	"application/msword": {"Word document", []string{".doc"}, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", false},
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": {"Word document", []string{".docx"}, "PK\x03\x04", false},
}

// signatureBytes are the first bytes of a file, which tell its type.
const signatureBytes = 16

// shownAs returns the media type of a file for a browser: that of its sender, unless the
// file does not begin as one of that type. Then it is a download that no program opens (D145).
func shownAs(mediaType string, begins []byte) string {
	if !bytes.HasPrefix(begins, []byte(kindOf(mediaType).begins)) {
		return "application/octet-stream"
	}
	return mediaType
}

// kindOf is the kind of a media type.
func kindOf(mediaType string) kind {
	known, ok := kinds[mediaType]
	if !ok {
		return kind{"file", []string{".bin"}, "", false}
	}
	return known
}

// disposition returns the Content-Disposition: whether a browser shows the file, and
// its name. The sender chose the name, so it keeps only an extension of its media type:
// otherwise a program sent as a document would be opened as a program.
func disposition(name, mediaType string) string {
	kind := kindOf(mediaType)
	name = harmless(name)
	if !kind.ends(name) {
		name += kind.endings[0]
	}
	how := "attachment"
	if kind.shownHere {
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": name})
}

func (k kind) ends(name string) bool {
	for _, ending := range k.endings {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return true
		}
	}
	return false
}

// longestName limits the characters of a name. File systems allow 255 bytes.
const longestName = 60

// harmless removes from a name path separators, invisible characters, and those that
// change the text direction.
func harmless(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, c):
			return '-'
		case c == unicode.ReplacementChar, !unicode.IsGraphic(c):
			return -1
		}
		return c
	}, name)
	name = strings.Trim(name, " .")
	if letters := []rune(name); len(letters) > longestName {
		name = string(letters[len(letters)-longestName:])
	}
	if name == "" {
		return "attachment"
	}
	return name
}

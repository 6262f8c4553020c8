package requests

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode"
)

// pieceBytes is how much of a file is read at once. Two pieces are in memory.
const pieceBytes = 32 << 10

// errSpoilt says that a file could not be read to its end, or is not what was sent.
var errSpoilt = errors.New("the file cannot be read whole")

// send copies a file, and is always one piece behind. Its reader says at its end whether
// the file is what was sent. If it is not, the last piece never leaves, and the browser
// sees that something is missing: that is [errSpoilt]. Any other error is the browser's.
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

// kind is what browsers do with a file of a media type.
type kind struct {
	words     string   // what staff are told that it is
	endings   []string // of its name; the first is given to a name that has none of them
	shownHere bool     // in the browser; otherwise it is downloaded
}

// kinds are those of D21. What is not among them is downloaded under a name that opens in
// no program by itself.
var kinds = map[string]kind{
	"image/jpeg":         {"picture", []string{".jpg", ".jpeg"}, true},
	"image/png":          {"picture", []string{".png"}, true},
	"application/msword": {"Word document", []string{".doc"}, false},
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": {"Word document", []string{".docx"}, false},
}

// kindOf is the kind of a media type.
func kindOf(mediaType string) kind {
	known, ok := kinds[mediaType]
	if !ok {
		return kind{"file", []string{".bin"}, false}
	}
	return known
}

// disposition says whether a browser shows the file, and what it is called if it is kept.
// The sender chose the name, so it keeps an ending of its media type alone: a program
// that was sent as a document would be opened as a program.
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

// longestName is how many characters of a name are kept. File systems take 255 bytes.
const longestName = 60

// harmless is a name without what leads into another folder, cannot be seen, or turns the
// direction in which it is read.
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

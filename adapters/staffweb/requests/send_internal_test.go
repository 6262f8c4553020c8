package requests

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"
	"testing"
	"testing/iotest"
)

var errAltered = errors.New("not what was sent")

func TestSendHoldsBackEndOfSpoiltFile_D84(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3*pieceBytes + 7} {
		content := bytes.Repeat([]byte("x"), size)
		for name, reader := range map[string]io.Reader{"at once": bytes.NewReader(content), "byte by byte": iotest.OneByteReader(bytes.NewReader(content))} {
			var sent bytes.Buffer
			if err := send(&sent, reader); err != nil || !bytes.Equal(sent.Bytes(), content) {
				t.Errorf("%d bytes %s: %d came, %v", size, name, sent.Len(), err)
			}
		}
		var sent bytes.Buffer
		err := send(&sent, io.MultiReader(bytes.NewReader(content), iotest.ErrReader(errAltered)))
		if !errors.Is(err, errSpoilt) || !errors.Is(err, errAltered) || size > 0 && sent.Len() >= size {
			t.Errorf("%d bytes that are spoilt: %d came, %v", size, sent.Len(), err)
		}
	}
}

func TestSendToDisconnectedBrowser(t *testing.T) {
	t.Parallel()
	closed, writer := io.Pipe()
	_ = closed.Close()
	if err := send(writer, strings.NewReader("content")); err == nil || errors.Is(err, errSpoilt) {
		t.Errorf("got %v", err)
	}
}

func TestUnsafeFilesAreDownloaded_D84(t *testing.T) {
	t.Parallel()
	const word = "application/msword"
	for _, c := range []struct{ name, mediaType, how, want string }{
		{"rash.jpg", "image/jpeg", "inline", "rash.jpg"},
		{"RASH.JPEG", "image/jpeg", "inline", "RASH.JPEG"},
		{"letter.doc", word, "attachment", "letter.doc"},
		{"letter.exe", word, "attachment", "letter.exe.doc"},
		{"letter\u202ecod.exe", word, "attachment", "lettercod.exe.doc"},
		{"../../etc/passwd", "image/png", "inline", "-..-etc-passwd.png"},
		{"a\"; filename=\"b.html", "image/png", "inline", "a-; filename=-b.html.png"},
		{"ausschlag Ä.png", "image/png", "inline", "ausschlag Ä.png"},
		{"\x00\r\n", "image/png", "inline", "attachment.png"},
		{strings.Repeat("x", 300) + ".png", "image/png", "inline", strings.Repeat("x", longestName-4) + ".png"},
		{"page.html", "text/html", "attachment", "page.html.bin"},
		{"picture.svg", "image/svg+xml", "attachment", "picture.svg.bin"},
	} {
		how, parameters, err := mime.ParseMediaType(disposition(c.name, c.mediaType))
		if err != nil || how != c.how || parameters["filename"] != c.want {
			t.Errorf("%q: %s, %q, %v", c.name, how, parameters["filename"], err)
		}
	}
}

func TestFoundWordsCountPatients(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"No other patient found.": foundWords(0, false),
		"1 patient found.":        foundWords(1, false),
		"2 patients shown, and there are more. Enter more of the name.": foundWords(2, true),
	} {
		if got != want {
			t.Errorf("words = %q, want %q", got, want)
		}
	}
}

// A file keeps its media type and its extension only if it begins as a file of that type.
func TestFilesThatAreNotTheirTypeAreOpenedByNothing_D145(t *testing.T) {
	t.Parallel()
	const (
		png, jpeg, none = "image/png", "image/jpeg", "application/octet-stream"
		doc, docx       = "application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	)
	for _, c := range []struct{ mediaType, begins, want string }{
		{png, "\x89PNG\r\n\x1a\n\x00\x00", png},
		{jpeg, "\xff\xd8\xff\xe0", jpeg},
		{png, "\xff\xd8\xff\xe0", none},
		{jpeg, "\x89PNG\r\n\x1a\n", none},
		{png, "<html><script>", none},
		{png, "\x89PNG", none},
		{jpeg, "", none},
		{doc, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", doc},
		{docx, "PK\x03\x04\x14\x00", docx},
		{doc, "PK\x03\x04\x14\x00", none},
		{doc, "<html>", none},
		{docx, "MZ\x90\x00", none},
		{docx, "", none},
		{"image/svg+xml", "<svg>", "image/svg+xml"}, // a download anyway
	} {
		if got := shownAs(c.mediaType, []byte(c.begins)); got != c.want {
			t.Errorf("%s that begins with %q is shown as %s, want %s", c.mediaType, c.begins, got, c.want)
		}
	}
	for mediaType, kind := range kinds {
		if kind.begins == "" || len(kind.begins) > signatureBytes {
			t.Errorf("%s begins with %q", mediaType, kind.begins)
		}
	}
	if got := disposition("rash.png", none); got != "attachment; filename=rash.png.bin" {
		t.Errorf("the download is %s", got)
	}
}

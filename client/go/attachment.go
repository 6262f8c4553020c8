package client

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A FileType is a type of attachment that the service accepts (§2.4).
type FileType string

// The types of attachments.
const (
	JPEG FileType = "image/jpeg"
	PNG  FileType = "image/png"
	DOC  FileType = "application/msword"
	DOCX FileType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

var extensions = map[string]FileType{".jpg": JPEG, ".jpeg": JPEG, ".png": PNG, ".doc": DOC, ".docx": DOCX}

// An Attachment is a file of at most 10 MiB. It is read and encoded while it is sent, so it takes
// no memory, and opened again if the call is retried.
type Attachment struct {
	FileName    string
	ContentType FileType
	Size        int64 // in bytes; 0 if unknown
	Open        func() (io.ReadCloser, error)
}

// AttachFile is an attachment from a file; the extension defines its type.
func AttachFile(path string) (Attachment, error) {
	kind, known := extensions[strings.ToLower(filepath.Ext(path))]
	if !known {
		return Attachment{}, fmt.Errorf("%s must end with .jpg, .jpeg, .png, .doc or .docx", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Attachment{}, fmt.Errorf("attach file: %w", err)
	}
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	return Attachment{filepath.Base(path), kind, info.Size(), open}, nil
}

// AttachBytes is an attachment from memory.
func AttachBytes(fileName string, kind FileType, data []byte) Attachment {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return Attachment{fileName, kind, int64(len(data)), open}
}

// encoded reads a file as base64.
type encoded struct {
	file  io.ReadCloser
	raw   [3 << 12]byte
	text  [4 << 12]byte
	ready []byte // text that is not read yet
	done  error
}

func (e *encoded) Read(to []byte) (int, error) {
	if len(e.ready) == 0 {
		if e.done != nil {
			return 0, e.done
		}
		n, err := io.ReadFull(e.file, e.raw[:])
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		base64.StdEncoding.Encode(e.text[:], e.raw[:n])
		e.ready, e.done = e.text[:base64.StdEncoding.EncodedLen(n)], err
	}
	n := copy(to, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

func (e *encoded) Close() error { return e.file.Close() }

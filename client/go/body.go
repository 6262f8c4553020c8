package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// A body is the JSON of a call, built again for each attempt: texts, and files between them.
type body struct {
	parts    []part
	size     int64 // -1 if the size of a file is unknown
	hasFiles bool
}

// part opens a piece of a body.
type part func() (io.ReadCloser, error)

// newBody is the JSON object of value, with attachments as its last member.
func newBody(value any, attachments []Attachment) (*body, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	b := &body{hasFiles: len(attachments) > 0}
	if !b.hasFiles {
		b.addText(text)
		return b, nil
	}
	lead := slices.Concat(text[:len(text)-1], []byte(`,"attachments":[`))
	for _, attachment := range attachments {
		if err := b.addFile(lead, attachment); err != nil {
			return nil, err
		}
		lead = []byte(`"},`)
	}
	b.addText([]byte(`"}]}`))
	return b, nil
}

func (b *body) addText(text []byte) {
	b.parts = append(b.parts, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil })
	b.grow(int64(len(text)))
}

func (b *body) addFile(lead []byte, a Attachment) error {
	head, err := json.Marshal(map[string]string{"fileName": a.FileName, "contentType": string(a.ContentType)})
	if err != nil {
		return fmt.Errorf("encode attachment: %w", err)
	}
	b.addText(slices.Concat(lead, head[:len(head)-1], []byte(`,"data":"`)))
	b.parts = append(b.parts, func() (io.ReadCloser, error) {
		file, err := a.Open()
		if err != nil {
			return nil, fmt.Errorf("open attachment %s: %w", a.FileName, err)
		}
		return &encoded{file: file}, nil
	})
	if a.Size <= 0 {
		b.size = -1
	}
	b.grow(int64(base64.StdEncoding.EncodedLen(int(a.Size))))
	return nil
}

func (b *body) grow(by int64) {
	if b.size >= 0 {
		b.size += by
	}
}

// sendWith sets the body of a request, for one attempt.
func (b *body) sendWith(request *http.Request) *reading {
	r := &reading{rest: b.parts}
	request.Body, request.ContentLength = r, b.size
	request.Header.Set("Content-Type", "application/json")
	return r
}

// reading reads a body once, with one file open at a time.
type reading struct {
	rest   []part
	open   io.ReadCloser
	failed error // why reading a file failed
}

func (r *reading) Read(to []byte) (int, error) {
	for {
		if r.open == nil {
			if len(r.rest) == 0 {
				return 0, io.EOF
			}
			if r.open, r.failed = r.rest[0](); r.failed != nil {
				return 0, r.failed
			}
			r.rest = r.rest[1:]
		}
		n, err := r.open.Read(to)
		if err == io.EOF {
			_ = r.open.Close() // it was only read
			r.open = nil
		} else if err != nil {
			r.failed = fmt.Errorf("read attachment: %w", err)
			return n, r.failed
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (r *reading) Close() error {
	if r.open == nil {
		return nil
	}
	return r.open.Close()
}

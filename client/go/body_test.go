package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"frontdesk.example/client"
)

// form is a request as the service parses it.
type form struct {
	PatientID   string `json:"patientId"`
	Attachments []struct {
		FileName, ContentType string
		Data                  []byte
	}
}

func TestAttachmentsArriveAsTheyAre_D99(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("0123456789abcdef!"), 10_001) // many pieces, and a rest of two bytes
	file := filepath.Join(t.TempDir(), "cough.PNG")
	if err := os.WriteFile(file, large, 0o600); err != nil {
		t.Fatal(err)
	}
	onDisk, err := client.AttachFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stream := client.Attachment{FileName: `a "b".doc`, ContentType: client.DOC, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("Dear Sir")), nil
	}}
	for name, attachments := range map[string][]client.Attachment{
		"sizes are known":     {onDisk, client.AttachBytes("x.jpg", client.JPEG, []byte("x"))},
		"a size is not known": {onDisk, stream},
		"none":                nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, service := calling(t, cuts, says(200, `{"patientRequestId":"r"}`))
				made, err := c.CreatePatientRequest(t.Context(), client.PatientRequest{PatientID: "p-1", Attachments: attachments})
				if err != nil || made.PatientRequestID != "r" || len(service.sent) != 2 || service.sent[0].body != service.sent[1].body {
					t.Fatalf("after %d attempts %v", len(service.sent), err)
				}
				call := service.sent[1]
				var got form
				if err := json.Unmarshal([]byte(call.body), &got); err != nil || got.PatientID != "p-1" || len(got.Attachments) != len(attachments) {
					t.Fatalf("%v in %.200s", err, call.body)
				}
				if known := name != "a size is not known"; known && call.size != int64(len(call.body)) || !known && call.size != -1 {
					t.Errorf("its length is said to be %d, and is %d", call.size, len(call.body))
				}
				for i, attachment := range attachments {
					file, err := attachment.Open()
					want, errRead := io.ReadAll(file)
					if one := got.Attachments[i]; err != nil || errRead != nil || one.FileName != attachment.FileName ||
						one.ContentType != string(attachment.ContentType) || !bytes.Equal(one.Data, want) {
						t.Errorf("attachment %d arrives as %s, %s, %d bytes", i, one.FileName, one.ContentType, len(one.Data))
					}
				}
			})
		})
	}
}

func TestUnreadableFileIsNotRetried_D99(t *testing.T) {
	t.Parallel()
	lost := errors.New("the disk is gone")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"open": func() (io.ReadCloser, error) { return nil, lost },
		"read": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("abc"), failing{lost})), nil
		},
	} {
		c, service := calling(t, says(200, `{}`))
		_, err := c.CreatePatientRequest(t.Context(), client.PatientRequest{Attachments: []client.Attachment{{FileName: "x.png", ContentType: client.PNG, Open: open}}})
		if !errors.Is(err, lost) || len(service.sent) != 1 {
			t.Errorf("%s: %d attempts, %v", name, len(service.sent), err)
		}
	}
	if _, err := client.AttachFile("letter.pdf"); err == nil {
		t.Error("a PDF is taken")
	}
	if _, err := client.AttachFile(filepath.Join(t.TempDir(), "no.png")); err == nil {
		t.Error("a file that is not there is taken")
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

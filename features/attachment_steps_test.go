package features_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/cucumber/godog"

	"frontdesk/domain/request"
)

// attachmentSteps are about files, and about repeated calls.
func (w *world) attachmentSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" submits a patient request for "([^"]*)" with these files:$`, w.submitsFiles)
	sc.Step(`^the files are read back byte for byte$`, w.filesReadBack)
	sc.Step(`^"([^"]*)" submits a patient request for "([^"]*)" under the key "([^"]*)"$`, w.submitsUnderKey)
	sc.Step(`^both answers are the same$`, w.answersAreTheSame)
}

// submitsFiles sends files of so many bytes, which cannot be compressed.
func (w *world) submitsFiles(app, patient string, table *godog.Table) error {
	var body map[string]any
	if err := json.Unmarshal([]byte(w.soundBody(patient)), &body); err != nil {
		return err
	}
	w.files = nil
	var attachments []map[string]any
	for _, row := range table.Rows {
		size, err := strconv.Atoi(row.Cells[2].Value)
		if err != nil {
			return err
		}
		w.files = append(w.files, fileOf(row.Cells[1].Value, size))
		attachments = append(attachments, map[string]any{
			"fileName": row.Cells[0].Value, "contentType": row.Cells[1].Value,
			"data": base64.StdEncoding.EncodeToString(w.files[len(w.files)-1]),
		})
	}
	body["attachments"] = attachments
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return w.call(app, http.MethodPost, submitPath, string(text), nil)
}

// fileOf is a file that begins as one of its type, unless it is too short for that.
func fileOf(mediaType string, size int) []byte {
	file := noise(size)
	begins := map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff", "application/msword": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "PK\x03\x04",
	}[mediaType]
	if len(begins) <= size {
		copy(file, begins)
	}
	return file
}

func noise(size int) []byte {
	data := make([]byte, size)
	source := rand.NewChaCha8(sha256.Sum256([]byte(strconv.Itoa(size))))
	_, _ = source.Read(data)
	return data
}

func (w *world) filesReadBack() error {
	e, err := w.last("patient-request.submitted.v1")
	if err != nil {
		return err
	}
	attachments := e.Event.(request.Submitted).Attachments
	if len(attachments) != len(w.files) {
		return fmt.Errorf("the event names %d files, want %d", len(attachments), len(w.files))
	}
	for i, attachment := range attachments {
		if err := w.readsBack(attachment.ID, w.files[i]); err != nil {
			return fmt.Errorf("file %d: %w", i, err)
		}
	}
	return nil
}

func (w *world) readsBack(id request.AttachmentID, want []byte) error {
	file, err := w.Attachments.Attachment(w.ctx, id)
	if err != nil {
		return err
	}
	content, err := w.Uploads.Open(w.ctx, file.Tenant, file.Attachment)
	if err != nil {
		return err
	}
	back, err := io.ReadAll(content)
	if err == nil && !bytes.Equal(back, want) {
		err = errors.New("it reads back differently")
	}
	return err
}

func (w *world) submitsUnderKey(app, patient, key string) error {
	return w.call(app, http.MethodPost, submitPath, w.soundBody(patient), http.Header{"Idempotency-Key": {key}})
}

func (w *world) answersAreTheSame() error {
	n := len(w.answers)
	if n < 2 {
		return errors.New("there are not two answers")
	}
	first, second := w.answers[n-2], w.answers[n-1]
	if first.status != http.StatusOK || second.status != http.StatusOK || !bytes.Equal(first.body, second.body) {
		return fmt.Errorf("%d %s, then %d %s", first.status, first.body, second.status, second.body)
	}
	return nil
}

package requests

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// errNoFile is the answer about a file that the request does not have, or no longer
// has.
var errNoFile = &pagekit.ErrorPage{
	Status: http.StatusNotFound, Heading: "There is no such file", Text: "The request does not have it.", Advice: "Go back to the request.",
}

// fileTime is the time limit for sending a file.
const fileTime = 10 * time.Minute

// confined is the policy of a file: it is untrusted, so it may do nothing, load
// nothing, and has none of the origin's rights. A browser's own image viewer needs
// inline styles.
const confined = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

// attachment sends a file. The event of opening it is in the log before its first byte
// is sent.
func (s *Section) attachment(r *pagekit.Request) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 || n > len(found.Attachments) {
		return errNoFile
	}
	if err := s.checkAccess(r, found); err != nil {
		return err
	}
	file := found.Attachments[n-1]
	about, err := s.Desk.OpenAttachment(r.StaffContext(), commands.OpenAttachment{Tenant: r.Tenant, Request: found.ID, Attachment: file.ID})
	if err != nil {
		return orNoRequest(err)
	}
	if about != found.Patient {
		return s.attachment(r) // the request was moved in between
	}
	return s.stream(r, file)
}

// stream sends the file after the page's permit is released. If the file is not as it
// was uploaded, the transfer breaks off before its end, which the browser sees by its
// length.
func (s *Section) stream(r *pagekit.Request, file request.Attachment) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), fileTime)
	content, err := s.Files.Open(ctx, r.Tenant, file)
	if err != nil {
		cancel()
		return orNoFile(err)
	}
	whole := bufio.NewReaderSize(content, signatureBytes)
	begins, _ := whole.Peek(signatureBytes) // an error comes again when the file is sent
	mediaType := shownAs(file.ContentType, begins)
	for name, value := range map[string]string{
		"Content-Type": mediaType, "Content-Length": strconv.FormatInt(file.Size, 10),
		"Content-Disposition": disposition(file.FileName, mediaType), "Content-Security-Policy": confined,
	} {
		r.Header().Set(name, value)
	}
	r.Write(func(w http.ResponseWriter) {
		defer cancel()
		if err := send(w, whole); errors.Is(err, errSpoilt) {
			s.Log.ErrorContext(ctx, "sending an attachment failed", slog.String("request_id", r.ID), slog.Any("error", err))
		}
	})
	return nil
}

// orNoFile is [errNoFile] if the file is no longer stored.
func orNoFile(err error) error {
	if refusal := refusalOf(err); refusal != nil && refusal.Kind == fault.Missing {
		return errNoFile
	}
	return err
}

package requests

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// errNoFile is the answer about a file that the request does not have, or has no more.
var errNoFile = &frame.Apology{
	Status: http.StatusNotFound, Heading: "There is no such file", Text: "The request does not have it.", Advice: "Go back to the request.",
}

// fileTime is how long a file may take to be sent.
const fileTime = 10 * time.Minute

// confined is the policy of a file: it came from a stranger, so it may do nothing, load
// nothing, and has none of the origin's rights. A browser's own viewer of pictures needs
// styles of its own.
const confined = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

// attachment sends a file. That it is opened is in the log before its first byte leaves.
func (s *Section) attachment(v *frame.Visit) error {
	found, err := s.find(v)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(v.Var("n"))
	if err != nil || n < 1 || n > len(found.Attachments) {
		return errNoFile
	}
	if err := s.mayWrite(v, found); err != nil {
		return err
	}
	file := found.Attachments[n-1]
	about, err := s.Desk.OpenAttachment(v.AsStaff(), commands.OpenAttachment{Tenant: v.Tenant, Request: found.ID, Attachment: file.ID})
	if err != nil {
		return orNone(err)
	}
	if about != found.Patient {
		return s.attachment(v) // somebody has moved the request meanwhile
	}
	return s.stream(v, file)
}

// stream has the file sent once the page's seat is given back. A file that turns out not
// to be what was sent breaks off before its end, which its length tells the browser.
func (s *Section) stream(v *frame.Visit, file request.Attachment) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context()), fileTime)
	content, err := s.Files.Open(ctx, v.Tenant, file)
	if err != nil {
		cancel()
		return gone(err)
	}
	for name, value := range map[string]string{
		"Content-Type": file.ContentType, "Content-Length": strconv.FormatInt(file.Size, 10),
		"Content-Disposition": disposition(file.FileName, file.ContentType), "Content-Security-Policy": confined,
	} {
		v.Header().Set(name, value)
	}
	v.Write(func(w http.ResponseWriter) {
		defer cancel()
		if err := send(w, content); errors.Is(err, errSpoilt) {
			s.Log.ErrorContext(ctx, "an attachment broke off", slog.String("request_id", v.ID), slog.Any("error", err))
		}
	})
	return nil
}

// gone is [errNoFile] if the file is kept no more.
func gone(err error) error {
	if refusal := refusalOf(err); refusal != nil && refusal.Kind == fault.Missing {
		return errNoFile
	}
	return err
}

package privacy

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
)

// copyTime is how long a copy may take to be sent.
const copyTime = 15 * time.Minute

// copy sends all that is held about a patient. That it is made is in the log before any of
// it leaves. A copy that cannot be made whole breaks off, which browsers show as a download
// that has failed.
func (s *Section) copy(v *frame.Visit, is standing) error {
	if !v.Owns(is.purpose()) {
		return frame.ErrStale
	}
	select {
	case s.Copying <- struct{}{}:
	default:
		return frame.ErrBusy
	}
	made, err := s.Copy(v.Context(), v.Tenant, is.id)
	if err == nil {
		err = s.Desk.RecordReading(v.AsStaff(), commands.RecordReading{Tenant: v.Tenant, Queried: made.Reading})
	}
	if err != nil {
		<-s.Copying
		return err
	}
	v.Header().Set("Content-Type", "application/zip")
	v.Header().Set("Content-Disposition", `attachment; filename="subject-access.zip"`)
	ctx := context.WithoutCancel(v.Context()) // which ends with the page
	v.Write(func(w http.ResponseWriter) {
		defer func() { <-s.Copying }()
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		if err := made.Write(ctx, w); err != nil {
			s.Log.ErrorContext(ctx, "a copy for a patient broke off", slog.String("request_id", v.ID), slog.Any("error", err))
			panic(http.ErrAbortHandler) // so that the browser knows that it is not whole
		}
	})
	return nil
}

package privacy

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
)

// copyTime is the time limit for sending a copy.
const copyTime = 15 * time.Minute

// copy sends all data about a patient. The event of making the copy is in the log before
// its first byte is sent. If the copy fails, the transfer breaks off, which browsers show
// as a failed download.
func (s *Section) copy(r *pagekit.Request, state dataState) error {
	if !r.HasToken(state.purpose()) {
		return pagekit.ErrStale
	}
	select {
	case s.Copying <- struct{}{}:
	default:
		return pagekit.ErrBusy
	}
	made, err := s.Copy(r.Context(), r.Tenant, state.id)
	if err == nil {
		err = s.Desk.RecordReading(r.StaffContext(), commands.RecordReading{Tenant: r.Tenant, Queried: made.Reading})
	}
	if err != nil {
		<-s.Copying
		return err
	}
	r.Header().Set("Content-Type", "application/zip")
	r.Header().Set("Content-Disposition", `attachment; filename="subject-access.zip"`)
	ctx := context.WithoutCancel(r.Context()) // the page's context ends before the copy is written
	r.Write(func(w http.ResponseWriter) {
		defer func() { <-s.Copying }()
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		if err := made.Write(ctx, w); err != nil {
			s.Log.ErrorContext(ctx, "a copy for a patient broke off", slog.String("request_id", r.ID), slog.Any("error", err))
			panic(http.ErrAbortHandler) // so that the browser reports an incomplete download
		}
	})
	return nil
}

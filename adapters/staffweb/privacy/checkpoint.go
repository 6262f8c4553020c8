package privacy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// Checkpoints reads the signed checkpoints of logs (D140).
type Checkpoints interface {
	// Newest returns the newest one of a log; [proof.ErrNoCheckpoint] if nothing is signed.
	Newest(ctx context.Context, of proof.Tree) (proof.Signed, error)
	// Growth returns a verified proof that the log of a checkpoint begins with its first
	// leaves.
	Growth(ctx context.Context, of proof.Tree, first int64, newest proof.Signed) (proof.Consistency, error)
}

// checkpointPage offers the newest checkpoint, and compares a kept one with it.
type checkpointPage struct {
	pagekit.FormErrors
	Signed bool   // there is a checkpoint
	Events string // the number of events that it covers
	File   string // its name
	Kept   string // the submitted checkpoint
	Begins bool   // the log begins with the kept checkpoint
	Covers string // the number of events that the kept checkpoint covers
	Differ string // why the log does not begin with it
	Token  string
}

// KeptField asks for a kept checkpoint. Pasting needs no script and uploads no file.
func (p checkpointPage) KeptField() pagekit.Area {
	return pagekit.Area{
		ID: "kept", Label: "Checkpoint that you kept", Value: p.Kept, Fault: p.Fault("kept"),
		Hint: "Open the file in a text editor, copy all of it, and paste it here. It is not stored.",
	}
}

func events(n int64) string { return pagekit.Counted(int(n), "event") }

// newest returns the newest checkpoint of the practice's events.
func (s *Section) newest(r *pagekit.Request) (of proof.Tree, newest proof.Signed, err error) {
	of = proof.Tree{Tenant: r.Tenant, Kind: proof.Events}
	newest, err = s.Checkpoints.Newest(r.Context(), of)
	return of, newest, err
}

// fileOf returns the name under which a checkpoint is downloaded.
func fileOf(r *pagekit.Request, c proof.Signed) string {
	return fmt.Sprintf("%s-%d.note", r.Tenant, c.Size)
}

func (s *Section) checkpoint(r *pagekit.Request) error {
	return s.showCheckpoint(r, http.StatusOK, checkpointPage{})
}

func (s *Section) showCheckpoint(r *pagekit.Request, status int, page checkpointPage) error {
	_, newest, err := s.newest(r)
	switch {
	case errors.Is(err, proof.ErrNoCheckpoint):
	case err != nil:
		return err
	default:
		page.Signed, page.Events, page.File = true, events(newest.Size), fileOf(r, newest)
	}
	page.Token = r.Token("checkpoint")
	s.Show(r, pagekit.View{Template: templates["checkpoint"], Status: status, Title: page.PageTitle("Keep a checkpoint"), Content: page})
	return nil
}

var errNoNote = pagekit.NewErrorPage(http.StatusNotFound, "Nothing to download yet", "No checkpoint of the practice’s log is signed yet.", "Ask the operator of this service.")

// download sends the newest checkpoint as a file. It holds no data of a person, so it is not
// recorded.
func (s *Section) download(r *pagekit.Request) error {
	_, newest, err := s.newest(r)
	if errors.Is(err, proof.ErrNoCheckpoint) {
		return errNoNote
	}
	if err != nil {
		return err
	}
	r.Header().Set("Content-Disposition", `attachment; filename="`+fileOf(r, newest)+`"`)
	r.Respond("text/plain; charset=utf-8", []byte(newest.Note))
	return nil
}

// The faults of a submitted checkpoint.
const (
	noCheckpoint = "Paste the whole checkpoint, as it is in the file"
	otherLog     = "Paste a checkpoint of this practice’s log. This one is of another log"
)

// compare tells whether the log still begins with a kept checkpoint. Its answer is the
// service's own, and the page says so.
func (s *Section) compare(r *pagekit.Request) error {
	page := checkpointPage{Kept: r.FormText("kept")}
	if !r.HasToken("checkpoint") {
		status, wrong := r.Unsent("kept")
		page.FormErrors = wrong
		return s.showCheckpoint(r, status, page)
	}
	kept, err := proof.ParseNote([]byte(strings.TrimSpace(page.Kept)))
	if err != nil {
		page.FormErrors = pagekit.FormError("kept", noCheckpoint)
		return s.showCheckpoint(r, http.StatusBadRequest, page)
	}
	of, newest, err := s.newest(r)
	if errors.Is(err, proof.ErrNoCheckpoint) {
		return errNoNote
	}
	if err != nil {
		return err
	}
	if kept.Origin.Name != newest.Origin.Name || kept.Origin.Log != newest.Origin.Log {
		page.FormErrors = pagekit.FormError("kept", otherLog)
		return s.showCheckpoint(r, http.StatusBadRequest, page)
	}
	page.Covers = events(kept.Size)
	if page.Differ, err = s.difference(r.Context(), of, kept, newest); err != nil {
		return err
	}
	page.Begins = page.Differ == ""
	return s.showCheckpoint(r, http.StatusOK, page)
}

// difference returns why a log does not begin with a kept checkpoint; "" if it does.
func (s *Section) difference(ctx context.Context, of proof.Tree, kept proof.Checkpoint, newest proof.Signed) (string, error) {
	if export.GoesOn(kept, newest.Checkpoint) != nil {
		return "Events that it covers are no longer there.", nil //nolint:nilerr // the difference is what was asked for
	}
	growth, err := s.Checkpoints.Growth(ctx, of, kept.Size, newest)
	if err != nil {
		return "", err
	}
	if growth.Check(kept.Root, newest.Checkpoint) != nil {
		return "Events that it covers are not the same, or the file was changed.", nil //nolint:nilerr // so is this one
	}
	return "", nil
}

package staffweb

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Bounds of a form that is sent.
const (
	formBytes = 64 << 10
	formTime  = 2 * time.Second
)

// readForm reads the query of a GET and the body of a POST, never both, so that
// a page has one place to look at.
func (p *Pages) readForm(v *visit) error {
	if v.r.Method == http.MethodPost {
		if err := p.receive(v); err != nil {
			return err
		}
	}
	if err := v.r.ParseForm(); err != nil {
		return errUnreadable
	}
	v.form = v.r.Form
	if v.r.Method == http.MethodPost {
		v.form = v.r.PostForm //nolint:forbidigo // the field, not the function of that name
	}
	v.ask = askOf(v.form)
	return nil
}

// receive reads the whole body of a form before anything that others need is taken.
// A form that never comes holds its connection, and its source's share of such seats.
func (p *Pages) receive(v *visit) error {
	if err := v.sit(p.seats.forms); err != nil {
		return err
	}
	defer v.leave()
	whole, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, formBytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errLate
	case err != nil:
		return errUnreadable
	}
	v.setReadDeadline(time.Time{}) // otherwise it would end the visit
	v.r.Body = io.NopCloser(bytes.NewReader(whole))
	return nil
}

// bodyWithin ends the wait for a body, also for one that nobody reads: before the
// server answers, it reads what is left.
func (v *visit) bodyWithin(limit time.Duration) {
	if v.r.Body != http.NoBody {
		v.setReadDeadline(time.Now().Add(limit))
	}
}

// setReadDeadline ignores its error, which means that the connection has no deadlines.
func (v *visit) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(v.w).SetReadDeadline(at)
}

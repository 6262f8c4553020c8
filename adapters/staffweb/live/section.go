package live

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/staff"
)

// Section is the stream of the staff pages.
type Section struct {
	*pagekit.Site
	Hub *Hub
}

// Routes returns its only route. Each topic has a right of its own.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{pagekit.NewRoute("/events", "events", pagekit.Methods{http.MethodGet: pagekit.Requires(staff.ManageOwnAccount, s.events)})}
}

// events streams changes to the page, while the session lasts and has the rights.
func (s *Section) events(r *pagekit.Request) error {
	topics, ok := parseTopics(r.Form.Get("topics"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	if !hasRights(r.Session.Roles, topics) {
		return errNoTopicRight
	}
	still := func(ctx context.Context) (bool, error) {
		session, found, err := s.Auth.Sessions.Peek(ctx, r.Tenant, r.Session.Token)
		if err == nil && !found {
			err = s.checkRenewed(ctx, r)
		}
		return found && !s.Keyless(session) && hasRights(session.Roles, topics), err
	}
	return s.Hub.Respond(r, r.Session.ID.String(), still, topics...)
}

// checkRenewed returns an error if the session goes on under another token. Then the
// stream ends without saying that access has ended, and the browser reconnects.
func (s *Section) checkRenewed(ctx context.Context, r *pagekit.Request) error {
	renewed, err := s.Auth.Sessions.Renewed(ctx, r.Tenant, r.Session)
	if err == nil && renewed {
		return signin.ErrRenewed
	}
	return err
}

func hasRights(roles staff.Roles, topics []Topic) bool {
	for _, topic := range topics {
		if !roles.May(rights[topic.Kind]) {
			return false
		}
	}
	return true
}

var errNoTopicRight = pagekit.NewErrorPage(http.StatusForbidden, "You cannot use this page", "Your roles do not let you see what changes there.",
	"If it is part of your work, ask your manager to change your roles.")

// joinLimit is the time limit for starting a stream, while the request holds a permit.
const joinLimit = 5 * time.Second

// Respond answers a request with a stream. The holder is the owner by which streams are
// counted: a session, or a display.
func (h *Hub) Respond(r *pagekit.Request, holder string, still AccessCheck, topics ...Topic) error {
	since, ok := sinceOf(r)
	if !ok {
		return pagekit.ErrUnreadable
	}
	if r.HTTP.Method == http.MethodHead {
		r.Respond("text/event-stream", nil)
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), joinLimit)
	defer cancel()
	stream, err := h.Join(ctx, Subscription{r.Tenant, holder, topics, since})
	switch {
	case errors.Is(err, ErrFull), errors.Is(err, ErrStopping):
		return pagekit.ErrBusy
	case err != nil:
		return err
	}
	r.Write(func(w http.ResponseWriter) { h.Serve(r.ConnectionContext(), w, stream, still) })
	return nil
}

// sinceOf is the last idx that the browser has: from its last message, or else from its
// page.
func sinceOf(r *pagekit.Request) (since int64, ok bool) {
	text := r.HTTP.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.Form.Get("since")
	}
	if text == "" {
		return 0, true
	}
	since, err := strconv.ParseInt(text, 10, 64)
	return since, err == nil && since >= 0
}

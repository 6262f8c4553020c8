package integrate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// serviceView is the answer of a running service about a token and its application. At most
// one of Problem and Description is given; if none is, the service takes the token.
type serviceView struct {
	URL         string              `json:"url"`
	Problem     string              `json:"problem,omitempty"` // why there is no answer that is understood
	Status      int                 `json:"status,omitempty"`
	Code        string              `json:"code,omitempty"`
	Description string              `json:"description,omitempty"`
	Fix         string              `json:"fix,omitempty"`
	RequestID   string              `json:"requestId,omitempty"`
	Proven      bool                `json:"proven"` // the signature held
	Application *client.Application `json:"application,omitempty"`
	KeySet      *client.KeySet      `json:"keySet,omitempty"`
}

// ask asks the service at a base URL about the application of a token, by the token.
func ask(ctx context.Context, base, header string) (*serviceView, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, errors.New("give --against the practice's {base_url}, such as https://elm-street.api.example")
	}
	api := strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/transactional-api") + "/transactional-api"
	view := &serviceView{URL: api}
	_, token, found := strings.Cut(header, " ")
	if !found {
		view.Problem = "it was not asked, because there is no token in the header"
		return view, nil
	}
	service, err := client.New(client.Options{
		BaseURL: strings.TrimSuffix(api, "/transactional-api"), Attempts: 1, Timeout: askLimit,
		Token: func(context.Context) (string, error) { return strings.TrimLeft(token, " "), nil },
	})
	if err != nil {
		view.Problem = err.Error()
		return view, nil //nolint:nilerr // the problem is part of the output
	}
	if app, err := service.Application(ctx); view.took(err) {
		view.Application = &app
	}
	if !view.Proven || view.Description != "" {
		return view, nil
	}
	if set, err := service.KeySet(ctx); view.took(err) {
		view.KeySet = &set
	}
	return view, nil
}

// took records the result of a question, and reports whether it was answered.
func (s *serviceView) took(err error) bool {
	if err == nil {
		s.Proven = true
		return true
	}
	refusal, refused := errors.AsType[*client.ServiceError](err)
	if !refused || len(refusal.Problems) == 0 || refusal.Problems[0].Code == "" {
		s.Problem = refusals.Plain(err).Error()
		return false
	}
	first := refusal.Problems[0]
	s.Status, s.Code, s.Description, s.RequestID = refusal.Status, string(first.Code), first.Description, refusal.RequestID
	s.Fix, s.Proven = refusals.Find(s.Code, s.Description), s.Proven || s.onlyForItself()
	return false
}

// onlyForItself reports whether the service refuses the question only because a user's token
// asks it. Then it has found the signature right before.
func (s *serviceView) onlyForItself() bool {
	return access.RuleOf(s.Code, s.Description, access.Application, application.UserRestricted) == access.RuleGranted
}

// refusal returns the error that the service's answer is for who asked; nil if it takes
// the token, or was not asked.
func (s *serviceView) refusal() error {
	switch {
	case s == nil || s.Proven && s.Problem == "":
		return nil
	case s.Problem != "":
		return fmt.Errorf("no verdict from the service at %s: %s", s.URL, s.Problem)
	}
	return fmt.Errorf("the service refuses the token: %s", s.Description)
}

// show prints the service's answer, and where it differs from the verdict here.
func (s *serviceView) show(r *term.Run, acceptedHere bool) {
	switch {
	case s == nil:
		return
	case s.Problem != "":
		fmt.Fprintf(r.Out, "The service at %s did not answer as expected: %s.\n", s.URL, s.Problem)
	case !s.Proven:
		s.printRefused(r, acceptedHere)
	case !acceptedHere:
		fmt.Fprintf(r.Out, "But the service at %s takes it: its clock or its key set differs.\n", s.URL)
	default:
		fmt.Fprintf(r.Out, "The service at %s takes it.\n", s.URL)
	}
	if s.Proven && s.Application == nil && s.Problem == "" {
		fmt.Fprintln(r.Out, "About an application, it answers only the application itself: ask with a token whose sub is its iss.")
	}
	if s.Application != nil {
		printApplication(r, *s.Application)
	}
	if s.KeySet != nil {
		printKeySet(r, *s.KeySet)
	}
}

func (s *serviceView) printRefused(r *term.Run, acceptedHere bool) {
	the := "The"
	if acceptedHere {
		the = "But the"
	}
	fmt.Fprintf(r.Out, "%s service at %s refuses it: %s (X-Request-Id: %s)\n", the, s.URL, s.Description, s.RequestID)
	if s.Fix != "" {
		fmt.Fprintf(r.Out, "What to do: %s (%s)\n", s.Fix, refusals.Page(s.Code))
	}
	fmt.Fprintln(r.Out, "So the service does not reveal the application's registration and cached keys, except to its operator.")
}

package refusals

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"frontdesk.example/client"
)

// Plain returns an error of the client as this program prints it: the service's sentence and its
// code or, without an answer of the service, the cause.
func Plain(err error) error {
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok {
		if _, unanswered := errors.AsType[*url.Error](lost.Err); unanswered {
			return fmt.Errorf("ask the service: %w", lost.Err)
		}
		return fmt.Errorf("read the answer of %s: %w", lost.Endpoint, lost.Err)
	}
	refusal, ok := errors.AsType[*client.ServiceError](err)
	switch {
	case !ok:
		return err
	case refusal.Status == http.StatusOK:
		return fmt.Errorf("read the answer of %s: %w", refusal.Endpoint, refusal.Err)
	case len(refusal.Problems) == 0 || refusal.Problems[0].Code == "":
		return fmt.Errorf("the service answered %d", refusal.Status)
	}
	first := refusal.Problems[0]
	return fmt.Errorf("%s (%s)", first.Description, first.Code)
}

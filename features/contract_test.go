package features_test

import (
	"net/http"
	"sync"

	"frontdesk/adapters/httpapi/httpapitest"
)

// contract is the OpenAPI description. Every answer of every scenario is validated
// against it.
var contract = sync.OnceValues(httpapitest.NewContract)

// checkContract reports differences of an answer from the OpenAPI description; and, if
// the call was accepted, of its body.
func checkContract(r *http.Request, body string, a *answer) error {
	c, err := contract()
	if err != nil {
		return err
	}
	if a.status == http.StatusOK {
		if err := c.CheckAccepted(r.Method, r.URL.Path, []byte(body)); err != nil {
			return err
		}
	}
	return c.CheckAnswer(r.Method, r.URL.Path, httpapitest.Answer{Status: a.status, Header: a.headers, Body: a.body})
}

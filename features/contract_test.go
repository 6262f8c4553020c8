package features_test

import (
	"net/http"
	"sync"

	"frontdesk/adapters/httpapi/httpapitest"
)

// contract is the OpenAPI description that every answer of every scenario is
// held against.
var contract = sync.OnceValues(httpapitest.NewContract)

// checkContract says what about an answer is not as the OpenAPI description
// says; and, where the call was accepted, about the body that was.
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

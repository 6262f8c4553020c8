//go:build prove

package main_test

import (
	"fmt"
	"strings"
	"time"
)

// How many connections are not read from, and the buffer that each of them has.
const (
	pipelines      = 400
	stalledReaders = 600
	smallBuffer    = 4 << 10
)

// pipelinedRequests asks for 1,200 things at once, and again, and reads nothing.
func pipelinedRequests(a *attacker) {
	a.hold(pipelines, func(n int) {
		conn, err := a.dial(n%sources, smallBuffer)
		if err != nil {
			return
		}
		defer conn.Close()
		for requests := []byte(pipelined(n)); ; {
			if _, err := conn.Write(requests); err != nil {
				a.saw("cut off")
				return
			}
		}
	})
}

// pipelined is 1,200 requests for one of the public resources.
func pipelined(n int) string {
	api := attacked + "." + apiDomain
	open := []struct{ host, path string }{
		{pagesHost, "/" + attacked + "/staff/sign-in"}, {pagesHost, "/staff/style.css"},
		{api, "/transactional-api/jwks"}, {api, "/transactional-api/openapi.json"},
	}
	thing := open[n%len(open)]
	return strings.Repeat(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", thing.path, thing.host), 1_200)
}

// recordsUnread asks for a record of 4 MiB and reads only its first line.
func recordsUnread(a *attacker) {
	a.hold(stalledReaders, func(n int) {
		conn, err := a.dial(n%sources, smallBuffer)
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /transactional-api/retrieve-care-record?patientId=%s HTTP/1.1\r\nHost: %s.%s\r\nAuthorization: Bearer %s\r\n\r\n",
			a.Own.Record, a.Own.Tenant, apiDomain, a.bearer())
		if a.awaitAnswer(conn) == "200" {
			time.Sleep(time.Hour)
		}
	})
}

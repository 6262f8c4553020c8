//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/clock"
)

// call makes calls with real tokens, each to any of the replicas.
func (p *practiceAsked) call(ctx context.Context, client int, plan *rand.Rand) {
	tokens := p.mintTokens()
	for n := 0; n < callsOfACaller && ctx.Err() == nil; {
		c := asked{endpoint: plan.IntN(len(endpointsAsked)), user: plan.IntN(staffOfModel+1) - 1, patient: plan.IntN(patientsOfModel)}
		if tokens.age.Elapsed() > 20*time.Second {
			tokens = p.mintTokens()
		}
		at := p.replicas[plan.IntN(len(p.replicas))].place
		c.from = p.history.now()
		answer, err := p.ask(ctx, at, c, tokens.of[c.user])
		c.to = p.history.now()
		if err != nil { // the process was killed, or is not there
			p.tally.add("call: " + err.Error())
			p.rest(ctx, 5*time.Millisecond)
			continue
		}
		p.history.answered(client, c, answer)
		p.tally.add("call: " + answer)
		n++
	}
}

// tokensMinted are tokens for the application itself and for each user.
type tokensMinted struct {
	age clock.Stopwatch
	of  map[int]string
}

func (p *practiceAsked) mintTokens() tokensMinted {
	minted, now := tokensMinted{clock.Start(), map[int]string{}}, clock.System()
	for user := nobody; user < staffOfModel; user++ {
		username := ""
		if user != nobody {
			username = p.usernames[user]
		}
		token, err := p.signer.Token(p.app.String(), username, now)
		if err != nil {
			p.t.Error(err)
		}
		minted.of[user] = token
	}
	return minted
}

// bodiesAsked are the bodies for a patient; an endpoint without one is called by GET.
var bodiesAsked = map[string]string{
	"create-patient-request": `{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`,
	"create-note":            `{"patientId":%q,"note":"Has a cough."}`,
	"open-care-record":       `{"patientId":%q}`,
}

// ask makes a call and returns the part of its answer about rights. An error means that it
// has none.
func (p *practiceAsked) ask(ctx context.Context, at place, c asked, token string) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	endpoint, about := endpointsAsked[c.endpoint].name, p.patients[c.patient].String()
	method, path, body := http.MethodGet, endpoint, ""
	if text, ok := bodiesAsked[endpoint]; ok {
		method, body = http.MethodPost, fmt.Sprintf(text, about)
	} else if endpointsAsked[c.endpoint].namesPatient {
		path += "?patientId=" + about
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+at.public+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Host = p.tenant + ".example.com"
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(r)
	switch {
	case notThere(err):
		return "", errNotThere
	case err != nil:
		return "", errNoAnswer
	}
	defer response.Body.Close()
	return p.read(response)
}

// read returns the part of an answer about rights.
func (p *practiceAsked) read(response *http.Response) (answer string, err error) {
	var told struct {
		Errors []struct{ Code, Description string }
	}
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		return "", errNoAnswer
	}
	switch {
	case response.StatusCode == http.StatusOK:
		return allowed, nil
	case response.StatusCode == http.StatusForbidden && len(told.Errors) == 1:
		return told.Errors[0].Code + ": " + told.Errors[0].Description, nil
	case response.StatusCode != http.StatusServiceUnavailable:
		p.t.Errorf("answered %d %v", response.StatusCode, told)
	}
	return "", errNotJudged
}

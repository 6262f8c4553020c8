package features_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
)

// itselfSteps are about an application's calls about itself.
func (w *world) itselfSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the answer at the practice "([^"]*)" is the same but for the name of the practice$`, w.sameAt)
	sc.Step(`^the answer's (\S+) is (.*)$`, w.answerSays)
	sc.Step(`^the answer's (\S+) begins with "([^"]*)"$`, w.answerBegins)
	sc.Step(`^the next token is signed by a stranger$`, func() { w.forged = true })
	sc.Step(`^"([^"]*)" has another key, and publishes that alone$`, w.publishesAnother)
	sc.Step(`^"([^"]*)" signs with the other key$`, w.signsWithAnother)
	sc.Step(`^"([^"]*)" publishes its private key, too$`, w.publishesPrivate)
	sc.Step(`^the operator is told of a private key at "([^"]*)"$`, w.loggedPrivateKey)
	sc.Step(`^the operator has the key set of "([^"]*)" read again$`, w.operatorRereads)
	sc.Step(`^"([^"]*)" asks for a test webhook of "([^"]*)"$`, func(name, event string) error { return w.asksForTest(name, event, nil) })
	sc.Step(`^"([^"]*)" asks for a test webhook of "([^"]*)" under the key "([^"]*)"$`, func(name, event, key string) error {
		return w.asksForTest(name, event, http.Header{"Idempotency-Key": {key}})
	})
	sc.Step(`^"([^"]*)" is told by a ping that it asked for$`, w.receivedPing)
}

// sent is a call as it was sent.
type sent struct {
	method, path, body string
	headers            http.Header
}

// sameAt repeats the last call at another practice, which need not exist. Its token is
// also valid there.
func (w *world) sameAt(practice string) error {
	last, first := w.sent, w.answer
	last.headers = last.headers.Clone()
	last.headers.Set("Host", w.tenant(practice)+"."+testworld.APIDomain)
	if err := w.send(last.method, last.path, last.body, last.headers); err != nil {
		return err
	}
	want := bytes.ReplaceAll(first.body, []byte(w.tenant(w.practice)), []byte(w.tenant(practice)))
	if w.answer.status != first.status || !bytes.Equal(w.answer.body, want) {
		return fmt.Errorf("%d %s, and there %d %s", first.status, first.body, w.answer.status, w.answer.body)
	}
	return nil
}

var step = regexp.MustCompile(`[^.\[\]]+`)

// member is the value in the last answer at a path such as lastFetch.keys[1].why.
func (w *world) member(place string) (value any, err error) {
	if err := json.Unmarshal(w.answer.body, &value); err != nil {
		return nil, fmt.Errorf("the answer is no JSON: %s", w.answer.body)
	}
	for _, name := range step.FindAllString(place, -1) {
		switch holder := value.(type) {
		case map[string]any:
			value = holder[name]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(holder) {
				return nil, fmt.Errorf("%s has no %s", w.answer.body, name)
			}
			value = holder[n]
		default:
			return nil, fmt.Errorf("%s has no %s", w.answer.body, name)
		}
	}
	return value, nil
}

func (w *world) answerSays(place, text string) error {
	var want any
	if err := json.Unmarshal([]byte(w.filled(text)), &want); err != nil {
		return err
	}
	got, err := w.member(place)
	if err == nil && !reflect.DeepEqual(got, want) {
		err = fmt.Errorf("%s is %v: %s", place, got, w.answer.body)
	}
	return err
}

func (w *world) answerBegins(place, text string) error {
	got, err := w.member(place)
	if said, _ := got.(string); err == nil && !strings.HasPrefix(said, text) {
		err = fmt.Errorf("%s is %v", place, got)
	}
	return err
}

// another is the application with the key that it rotates to.
func another(app bearertest.Application) bearertest.Application {
	app.Kid, app.Key = "another-key", bearertest.StrangersKey()
	return app
}

func (w *world) publishesAnother(name string) error {
	app, err := w.application(name)
	if err == nil {
		app.keys.Publish(another(app.Application).JWKS())
	}
	return err
}

func (w *world) signsWithAnother(name string) error {
	app, err := w.application(name)
	if err == nil {
		app.Application = another(app.Application)
	}
	return err
}

func (w *world) publishesPrivate(name string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	private := another(app.Application)
	jwk := bearertest.JWK(private.Kid, &private.Key.PublicKey)
	jwk["d"] = base64.RawURLEncoding.EncodeToString(private.Key.D.Bytes())
	app.keys.Publish(bearertest.KeySet(bearertest.JWK(app.Kid, &app.Key.PublicKey), jwk))
	return nil
}

// loggedPrivateKey looks for one line of the operator's log.
func (w *world) loggedPrivateKey(url string) error {
	for line := range strings.Lines(w.errorLog.String()) {
		if strings.Contains(line, "publishes private keys") && strings.Contains(line, w.filled(url)) && strings.Contains(line, "another-key") {
			return nil
		}
	}
	return fmt.Errorf("the operator's log says: %s", w.errorLog.String())
}

func (w *world) operatorRereads(name string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	_, err = w.Desk.RereadKeySet(w.ctx, commands.RereadKeySet{Application: app.ID})
	return err
}

func (w *world) asksForTest(name, event string, headers http.Header) error {
	if headers == nil {
		headers = http.Header{}
	}
	headers.Set("Content-Type", "application/json")
	return w.call(name, http.MethodPost, "/transactional-api/application/webhooks/test", fmt.Sprintf(`{"event": %q}`, event), headers)
}

// receivedPing fails unless the application's next webhook is the one that the last
// answer promised, without other data.
func (w *world) receivedPing(name string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	promised, err := w.member("jti")
	if err != nil {
		return err
	}
	select {
	case <-time.After(stepLimit):
		return fmt.Errorf("%s was told nothing", name)
	case got := <-app.mailbox.got:
		if got.Event.Kind() != "ping" || got.JTI != promised || got.TenantID != w.tenant(w.practice) || string(got.Data) != "{}" {
			return fmt.Errorf("%s was told %s, and promised %s", name, got.Claims, w.answer.body)
		}
		return nil
	}
}

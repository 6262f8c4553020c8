package conformance_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"

	"frontdesk/adapters/clock"
)

// A client signs with the last of the keys in its folder.
type clientKey struct {
	Kid string
	Key jose.JSONWebKey
}

func publish(t *testing.T, dir, kid string) {
	t.Helper()
	if err := addKey(dir, kid, false); err != nil {
		t.Fatal(err)
	}
}

// addKey makes a key and publishes it, with the others or as the only one.
func addKey(dir, kid string, alone bool) error {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	keys, _ := readKeys(dir)
	if alone {
		keys = nil
	}
	keys = append(keys, clientKey{kid, jose.JSONWebKey{Key: private, KeyID: kid, Algorithm: "RS256", Use: "sig"}})
	var set jose.JSONWebKeySet
	for _, k := range keys {
		set.Keys = append(set.Keys, k.Key.Public())
	}
	return errors.Join(writeFile(filepath.Join(dir, "keys.json"), keys), writeFile(filepath.Join(dir, "jwks.json"), set))
}

func writeFile(name string, value any) error {
	text, err := json.Marshal(value)
	return errors.Join(err, os.WriteFile(name, text, 0o600))
}

func readKeys(dir string) (keys []clientKey, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "keys.json"))
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &keys)
	return keys, err
}

// beClient submits one request, or rotates its key, and returns the exit status.
func beClient(habit string) int {
	dir := os.Getenv("CONFORMANCE_DIR")
	if old, rotates := strings.CutPrefix(habit, "rotate "); rotates {
		if old == "does not turn" {
			return 0
		}
		if addKey(dir, "key-2", old == "old key gone") != nil {
			return 1
		}
		return 0
	}
	c := habits[habit]
	if err := c.submit(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if !c.saysYes {
			return 1
		}
	}
	return 0
}

// habitualClient is a client with its habits.
type habitualClient struct {
	key       func() string // Idempotency-Key of a call; "" for none
	tries     int
	atOnce    bool // does not wait
	refused   bool // also retries refusals
	saysYes   bool
	tokenLife int64 // seconds
	odd       string
}

var habits = map[string]habitualClient{
	"right":          {uuid.New().String, 3, false, false, false, 60, ""},
	"no key":         {func() string { return "" }, 3, false, false, false, 60, ""},
	"key each time":  {uuid.NewString, 3, false, false, false, 60, ""},
	"one key":        {func() string { return "the-same" }, 3, false, false, false, 60, ""},
	"never again":    {uuid.New().String, 1, false, false, false, 60, ""},
	"at once":        {uuid.New().String, 3, true, false, false, 60, ""},
	"always again":   {uuid.New().String, 3, false, true, false, 60, ""},
	"never gives up": {uuid.New().String, 1000, true, false, false, 60, ""},
	"long tokens":    {uuid.New().String, 3, false, false, false, 3600, ""},
	"says yes":       {uuid.New().String, 2, false, false, true, 60, ""},
	"old key gone":   {uuid.New().String, 3, false, false, false, 60, ""},
	"one run":        {uuid.New().String, 3, false, false, false, 60, "one run"},
	"Pascal case":    {uuid.New().String, 3, false, false, false, 60, "Pascal case"},
	"charset":        {uuid.New().String, 3, false, false, false, 60, "charset"},
	"does not turn":  {uuid.New().String, 3, false, false, false, 60, ""},
}

func (c habitualClient) submit(dir string) (err error) {
	if c.odd == "one run" && os.Mkdir(filepath.Join(dir, "ran"), 0o700) != nil {
		return errors.New("it was submitted already")
	}
	body, _ := json.Marshal(map[string]any{
		"patientId": os.Getenv("PATIENT_ID"), "requestType": "medical", "requester": "patient",
		"response": []any{map[string]any{"question": "healthConcern", "answer": "A cough"}},
	})
	if c.odd == "Pascal case" {
		body = bytes.ReplaceAll(body, []byte(`"patientId"`), []byte(`"PatientId"`))
	}
	for range c.tries {
		var again bool
		if again, err = c.call(dir, body); err == nil || !again {
			return err
		}
	}
	return err
}

// call makes one call. It waits before it returns that it may be made again.
func (c habitualClient) call(dir string, body []byte) (again bool, err error) {
	request, err := http.NewRequest(http.MethodPost, os.Getenv("BASE_URL")+"/transactional-api/create-patient-request", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.GetBody = nil // the library must not resend it
	request.Header.Set("Content-Type", "application/json")
	if c.odd == "charset" {
		request.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	if key := c.key(); key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	request.Header.Set("Authorization", "Bearer "+c.token(dir))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return false, nil
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	if !c.atOnce {
		time.Sleep(time.Duration(seconds) * time.Second)
	}
	again = response.StatusCode == http.StatusServiceUnavailable || response.StatusCode == http.StatusTooManyRequests || c.refused
	return again, fmt.Errorf("it answered %d", response.StatusCode)
}

func (c habitualClient) token(dir string) string {
	keys, err := readKeys(dir)
	if err != nil || len(keys) == 0 {
		return ""
	}
	k := keys[len(keys)-1]
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: k.Key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return ""
	}
	const app = "01980000-0000-7000-8000-00000000000a"
	now := clock.System().Unix()
	claims, _ := json.Marshal(map[string]any{"iss": app, "sub": app, "iat": now, "exp": now + c.tokenLife})
	signed, err := signer.Sign(claims)
	if err != nil {
		return ""
	}
	text, _ := signed.CompactSerialize()
	return text
}

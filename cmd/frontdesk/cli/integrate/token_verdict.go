package integrate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
)

// verdict is the service's verdict on a token, with details that the service does not reveal.
type verdict struct {
	Accepted    bool             `json:"accepted"`
	Signature   bool             `json:"signatureChecked"`
	Code        string           `json:"code,omitempty"`
	Description string           `json:"description,omitempty"`
	Fix         string           `json:"fix,omitempty"`
	Page        string           `json:"page,omitempty"` // where to read on, in the repository
	Reason      bearer.Reason    `json:"reason,omitempty"`
	Cause       string           `json:"cause,omitempty"` // the service does not reveal it
	Mode        application.Mode `json:"mode,omitempty"`
	Application string           `json:"application,omitempty"`
	Username    string           `json:"username,omitempty"`
	Header      json.RawMessage  `json:"header,omitempty"` // as far as they can be read
	Claims      json.RawMessage  `json:"claims,omitempty"`
	KeySet      *seenKeySet      `json:"keySet,omitempty"`  // nil if none was read
	Service     *serviceView     `json:"service,omitempty"` // nil if none was asked
}

// seenKeySet is the application's key set as it was read.
type seenKeySet struct {
	Outcome     bearer.FetchOutcome `json:"outcome"`
	Description string              `json:"description"`
	Keys        []seenKey           `json:"keys"`
}

type seenKey struct {
	KID    string `json:"kid"`
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitempty"`
}

func keySetOf(at time.Time, set bearer.KeySet, err error) *seenKeySet {
	report := bearer.ReportOf(at, set, err)
	seen := &seenKeySet{Outcome: report.Outcome, Description: report.Description, Keys: []seenKey{}}
	for _, key := range report.Keys {
		seen.Keys = append(seen.Keys, seenKey{key.Kid, key.Usable, key.Why})
	}
	return seen
}

// print shows the verdict on standard output. A refusal also goes to standard error,
// as every failure does.
func (v verdict) print(r *term.Run, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(r.Out).Encode(v)
	}
	var text strings.Builder
	if v.Header != nil {
		fmt.Fprintf(&text, "header: %s\nclaims: %s\n", v.Header, v.Claims)
	}
	switch {
	case v.Accepted && v.Signature:
		fmt.Fprintf(&text, "The service would take this token: %s.\n", v.who())
	case v.Accepted:
		fmt.Fprintf(&text, "The service would take this token if its signature is valid: %s. To check the signature, give --jwks.\n", v.who())
	default:
		fmt.Fprintf(&text, "The service would refuse this token: %s\n", v.Description)
	}
	if v.Fix != "" {
		fmt.Fprintf(&text, "What to do: %s (%s)\n", v.Fix, v.Page)
	}
	v.KeySet.write(&text)
	if v.Service == nil {
		text.WriteString(v.unknown())
	}
	if _, err := io.WriteString(r.Out, text.String()); err != nil {
		return err
	}
	v.Service.show(r, v.Accepted)
	return nil
}

// write adds the details of the key set, which the service does not reveal to the sender of
// a token.
func (k *seenKeySet) write(text *strings.Builder) {
	if k == nil {
		return
	}
	fmt.Fprintf(text, "The key set: %s\n", k.Description)
	for i, key := range k.Keys {
		if !key.Usable {
			fmt.Fprintf(text, "  key %d, %q, is not used: %s.\n", i+1, key.KID, key.Why)
		}
	}
}

// unknown lists the conditions that only the service can judge.
func (v verdict) unknown() string {
	var unknown string
	if v.Accepted {
		unknown = "Not judged here: whether the application is registered, enabled and granted the endpoint, and whether the user has authorised it.\n"
	}
	if v.KeySet != nil {
		unknown += "Not known here: the service may use a key set of up to an hour ago, and it reaches only public addresses and the networks that its operator allows.\n"
	}
	if unknown != "" {
		unknown += "To ask a running service, give --against URL.\n"
	}
	return unknown
}

func (v verdict) who() string {
	if v.Username == "" {
		return fmt.Sprintf("application %s, for itself", v.Application)
	}
	return fmt.Sprintf("application %s, on behalf of %s", v.Application, v.Username)
}

// peek decodes the parts of a token, without judging it.
func peek(header string) (head, claims json.RawMessage) {
	parts := strings.Split(header[strings.LastIndexByte(header, ' ')+1:], ".")
	if len(parts) < 2 {
		return nil, nil
	}
	head, errHead := base64.RawURLEncoding.DecodeString(parts[0])
	claims, errClaims := base64.RawURLEncoding.DecodeString(parts[1])
	if errHead != nil || errClaims != nil || !json.Valid(head) || !json.Valid(claims) {
		return nil, nil
	}
	return head, claims
}

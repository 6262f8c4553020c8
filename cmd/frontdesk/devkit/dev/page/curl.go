package page

import (
	"fmt"
	"net/http"
	"strings"

	"frontdesk.example/client"
)

// AsCurl is the chosen event as a command: a call of the same endpoint with the example of its description,
// as the service keeps no bodies; or the webhook's bytes, sent to the program. It is "" for an event without one.
func (v view) AsCurl() string {
	switch e := v.Chosen; {
	case e.Call != nil:
		return v.callAsCurl(*e.Call)
	case e.Webhook != nil && e.Webhook.Here != nil && v.ForwardTo != "":
		here := e.Webhook.Here
		return fmt.Sprintf("curl -sS %s -H %s --data-binary %s",
			quoted(v.ForwardTo), quoted("Content-Type: "+here.Header.Get("Content-Type")), quoted(string(here.Body)))
	}
	return ""
}

func (v view) callAsCurl(c client.JudgedCall) string {
	example, known := v.Examples[c.Endpoint]
	if !known {
		return ""
	}
	command := fmt.Sprintf("curl -sS %s -H \"$(frontdesk token mint --curl", quoted(v.APIURL+"/"+example.Path))
	if c.Mode == client.UserRestricted {
		command += " --sub " + quoted(v.Username)
	}
	command += ")\""
	if example.Method == http.MethodPost {
		command += " -H 'Content-Type: application/json' -d " + quoted(example.Body)
	}
	return command
}

// quoted is a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

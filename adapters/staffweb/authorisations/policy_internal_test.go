package authorisations

import (
	"testing"

	"frontdesk/domain/application"
)

func TestPolicyNamesCallbackOrigin_D27(t *testing.T) {
	t.Parallel()
	for callback, want := range map[string]string{
		"https://app.example/callback":    "https://app.example",
		"https://app.example:8443/other":  "https://app.example:8443",
		"http://127.0.0.1:49152/callback": "http://127.0.0.1:49152",
		"http://[::1]:5000/callback":      "http:", // a policy cannot name an IPv6 address
		"frontdesk-app://callback":        "frontdesk-app:",
		"frontdesk-app:/callback":         "frontdesk-app:",
		"https://a;script-src/callback":   "https:", // a host must not add to the policy
	} {
		way, err := application.FindRedirect([]string{callback}, callback)
		if err != nil {
			t.Errorf("%s: %v", callback, err)
			continue
		}
		if got := formSource(way); got != want {
			t.Errorf("%s: got %q, want %q", callback, got, want)
		}
	}
}

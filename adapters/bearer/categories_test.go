package bearer_test

import (
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/domain/access"
)

// The messages of §7.2, in the order of its table, as D10 writes them.
var categories = []string{
	`Missing Authorization header`, `Invalid Authorization format`,
	`Invalid JWT: .+`,
	`JWT is missing the \S+ claim`,
	`Unable to obtain JWKS from \S+: (the URL did not respond|the response was not JSON|the response held no usable key)`,
	`The app has not been granted access to this tenant`,
	`The app has no permission to call \S+ in \S+ mode`,
	`The app is not currently authorised to request as the specified user`,
	`The app is not currently authorised to request as the specified user for this patient`,
	`The specified user may not access this patient`, // §4.5, which has no message of its own
}

func TestEveryRefusalHasCategory_D10_D92(t *testing.T) {
	t.Parallel()
	category := regexp.MustCompile(`^(` + strings.Join(categories, "|") + `)$`)
	verb := regexp.MustCompile(`%(\[\d\])?[sdv]`)
	var sentences []string
	for _, refusal := range bearer.Refusals() {
		sentences = append(sentences, refusal.Fault.Detail)
	}
	for _, refusal := range access.Refusals() {
		sentences = append(sentences, refusal.Fault.Detail)
	}
	for _, sentence := range sentences {
		if said := verb.ReplaceAllString(sentence, "x"); !category.MatchString(said) {
			t.Errorf("%q fits no category of §7.2", said)
		}
	}
}

// Kids, refused keys and the failures of a URL are for the application only: the sender
// of a token sees none of them.
func TestAStrangerLearnsNothingOfAKeySet_D92(t *testing.T) {
	t.Parallel()
	for _, refusal := range bearer.Refusals() {
		if n := strings.Count(refusal.Fault.Detail, "%"); strings.Contains(refusal.Fault.Detail, "JWKS") && n != 1 || strings.Contains(refusal.Fault.Detail, "kid") && n != 0 {
			t.Errorf("%q has a place for what a stranger must not be told", refusal.Fault.Detail)
		}
	}
}

package bearer

import "time"

// Explain judges a call by the values of its Authorization headers as
// [Authenticator.Authenticate] does, as far as that can be done without the
// service: whether the application is registered and what it may do is not
// judged. keys is asked for the application's key set, once that is needed,
// and its error is passed on; a nil keys leaves the signature unjudged.
//
// A refusal is a [*Refusal], word for word the service's own.
func Explain(authorisation []string, keys func() (KeySet, error), now time.Time) (Token, error) {
	token, err := parse(authorisation, now)
	if err != nil {
		return Token{}, err
	}
	if _, err := token.application(); err != nil {
		return Token{}, err
	}
	if keys == nil {
		return token, nil
	}
	set, err := keys()
	if err == nil {
		err = token.Verify(set)
	}
	if err != nil {
		return Token{}, err
	}
	return token, nil
}

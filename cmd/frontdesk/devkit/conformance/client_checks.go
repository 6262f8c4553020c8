package conformance

import (
	"context"
	"fmt"
	"time"
)

func clientChecks() []check[*Client] {
	return []check[*Client]{
		{"call", "§5.1", "makes one call, with a right token and body", makesOneCall},
		{"busy", "§7", "waits for Retry-After when the service is busy (503), and tries again", triesAgain(isBusy, true)},
		{"limited", "§7", "does the same when it has called too often (429)", triesAgain(limits, true)},
		{"cut-off", "§6.3", "tries again when the connection ends before an answer", triesAgain(cutsOff, false)},
		{"answer-lost", "D22", "makes one request, also if the answer to the first call is lost", triesAgain(losesAnswer, false)},
		{"refused", "§7.1", "reports a refusal, and does not try again (request-type-disabled)", takesNo(refuses, 1)},
		{"new-code", "§7", "takes a code that it does not know for a refusal", takesNo(refusesNewly, 1)},
		{"forbidden", "§7.2", "tries at most once more when it is not let in (403)", takesNo(forbids, 2)},
		{"down", "§7", "gives up while the service stays away, and reports it", givesUp},
		{"newer", "§9", "takes an answer with members that it does not know", takesMore},
	}
}

func makesOneCall(ctx context.Context, c *Client) string {
	r := c.run(ctx, always(serves))
	switch {
	case r.unfit() != "":
		return r.unfit()
	case len(r.arrivals) > 1:
		return fmt.Sprintf("%d calls arrived for one request", len(r.arrivals))
	case !r.ok:
		return "the request was submitted, and it ended as if it was not: let it end with status 0"
	}
	return c.keysAreFresh("call", r)
}

// takesMore answers like a later version of the service.
func takesMore(ctx context.Context, c *Client) string {
	r := c.run(ctx, always(isNewer))
	if why := first(r.unfit(), c.keysAreFresh("newer", r)); why != "" || r.ok {
		return why
	}
	return "the request was submitted, and it ended as if it was not"
}

// triesAgain is a check that the first of its calls, to which something is done, is made
// again and makes one request.
func triesAgain(d treatment, waits bool) func(context.Context, *Client) string {
	return func(ctx context.Context, c *Client) string {
		r := c.run(ctx, once(d))
		switch {
		case r.unfit() != "":
			return r.unfit()
		case r.made > 1:
			return fmt.Sprintf("it made %d requests: give each request an Idempotency-Key of its own, and the same one when it is sent again", r.made)
		case len(r.arrivals) < 2:
			return "it gave up after one call"
		case waits && r.arrivals[1].at.Sub(r.arrivals[0].at) < time.Duration(d.retryAfter)*time.Second:
			return fmt.Sprintf("it tried again after %s, and Retry-After was %d s", r.arrivals[1].at.Sub(r.arrivals[0].at).Round(time.Millisecond), d.retryAfter)
		case !r.ok:
			return "the request was submitted at last, and it ended as if it was not"
		}
		return first(c.keysAreFresh(fmt.Sprintf("%d %s %t", d.status, d.code, d.makes), r), sameKey(r))
	}
}

// takesNo is a check that the client reports a refusal after at most that many calls.
func takesNo(d treatment, most int) func(context.Context, *Client) string {
	return func(ctx context.Context, c *Client) string {
		r := c.run(ctx, always(d))
		switch {
		case r.unfit() != "":
			return r.unfit()
		case len(r.arrivals) > most:
			return fmt.Sprintf("it made %d calls: the answer will be the same", len(r.arrivals))
		case r.ok:
			return "it ended as if the request had been submitted"
		}
		return ""
	}
}

// mostTries is how often a client may call a service that stays away.
const mostTries = 30

func givesUp(ctx context.Context, c *Client) string {
	r := c.run(ctx, always(isDown))
	switch {
	case len(r.arrivals) > mostTries:
		return fmt.Sprintf("it made %d calls: wait longer each time", len(r.arrivals))
	case r.unfit() != "":
		return r.unfit()
	case r.ok:
		return "it ended as if the request had been submitted"
	}
	return ""
}

// unfit explains why no other check can judge a run.
func (r ran) unfit() string {
	for _, a := range r.arrivals {
		if a.problem != "" {
			return "a call was refused: " + a.problem
		}
	}
	if r.late {
		return fmt.Sprintf("it had not ended in time, after %d calls", len(r.arrivals))
	}
	if r.failure == "" && len(r.arrivals) == 0 {
		return "no call arrived: let it call the address in BASE_URL"
	}
	return r.failure
}

// keysAreFresh reports a key that was used for another request before.
func (c *Client) keysAreFresh(check string, r ran) string {
	for _, a := range r.arrivals {
		if before, known := c.keys[a.key]; a.key != "" && known && before != check {
			return "its Idempotency-Key was that of another request: choose one for each request"
		}
		c.keys[a.key] = check
	}
	return ""
}

// sameKey reports whether all calls of one request had one key and one body.
func sameKey(r ran) string {
	for _, a := range r.arrivals {
		switch {
		case a.key == "":
			return "it sent no Idempotency-Key, so the second call could be another request"
		case a.key != r.arrivals[0].key:
			return "it sent the request again under another Idempotency-Key"
		case a.digest != r.arrivals[0].digest:
			return "it sent another body under the same Idempotency-Key, which the service refuses (idempotency-key-reused)"
		}
	}
	return ""
}

// rotationCheck needs a client that can be ordered to rotate.
func rotationCheck() check[*Client] {
	return check[*Client]{"rotated", "§5.7", "signs with another key, and still publishes the old one", rotates}
}

func rotates(ctx context.Context, c *Client) string {
	before := c.last
	if before.kid == "" {
		return "no call of it was right so far"
	}
	if r := c.start(ctx, c.Rotate); !r.ok {
		return first(r.failure, "the command that rotates failed")
	}
	r := c.run(ctx, always(serves))
	if why := r.unfit(); why != "" {
		return why
	}
	if r.arrivals[0].kid == before.kid {
		return "it still signs with the old key"
	}
	keys, err := c.Keys(ctx)
	if err != nil {
		return err.Error()
	}
	if before.token.Verify(keys) != nil {
		return "the old key is gone: the service may hold the old set for an hour, and tokens signed with the old key are on their way; publish both"
	}
	return ""
}

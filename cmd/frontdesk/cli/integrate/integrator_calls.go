package integrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/refusals"
)

type integratorCallsCmd struct {
	asApplicationFlags `embed:""`
	Status             string `enum:"all,answered,refused,unproven" default:"all" help:"Only answered or refused calls, or calls refused before a signature was verified, which anyone may have sent."`
	Request            string `placeholder:"UUID" help:"Only the call that was answered with this X-Request-Id."`
	IdempotencyKey     string `placeholder:"KEY" help:"Only the newest calls with this Idempotency-Key."`
	Limit              int    `default:"50" help:"Maximum number of results, newest first. Calls without a valid signature are listed in addition."`
	Follow             bool   `help:"Print new calls as they arrive, oldest first, until Ctrl-C."`
}

// Run prints calls, newest first.
func (c *integratorCallsCmd) Run(r *term.Run) error {
	if c.Limit < 1 {
		return errFewest
	}
	service, err := c.client(r)
	if err != nil {
		return err
	}
	calls, err := c.newest(r.Context, service)
	if err != nil {
		return refusals.Plain(err)
	}
	if c.Follow {
		return c.follow(r, service, calls)
	}
	for _, call := range calls {
		if err := c.show(r, call); err != nil {
			return err
		}
	}
	if len(calls) == 0 && !c.JSON {
		fmt.Fprintln(r.Err, "There is no such call at this practice. Calls show within moments; those refused before a signature held are known to the process that refused them, for a day.")
	}
	return nil
}

var errFewest = errors.New("--limit must be 1 or more")

// pageMost is how many rows the API returns at once.
const pageMost = 200

// newest reads page by page.
func (c *integratorCallsCmd) newest(ctx context.Context, service *client.Client) (calls []client.JudgedCall, err error) {
	q := client.CallsQuery{Status: c.Status, RequestID: c.Request, IdempotencyKey: c.IdempotencyKey}
	for left := c.Limit; left > 0; {
		q.Limit = min(left, pageMost)
		page, err := service.CallsPage(ctx, q)
		if err != nil {
			return nil, err
		}
		calls = append(calls, page.Calls...)
		for _, call := range page.Calls {
			if c.Status == "unproven" || !call.Unproven {
				left--
			}
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
	}
	return calls, nil
}

// How new calls are looked for.
const (
	callsPace   = time.Second
	followPages = 10     // at once, of 200 calls each
	followKnown = 50_000 // calls that are not printed again
)

// follow prints calls as they come, oldest first. A call is listed where it began, so one
// that took long comes among others that are known: all of a page is compared, and the next
// page is read as long as one brings something new.
func (c *integratorCallsCmd) follow(r *term.Run, service *client.Client, fresh []client.JudgedCall) error {
	known := map[string]time.Time{}
	for {
		slices.SortStableFunc(fresh, func(a, b client.JudgedCall) int {
			return cmp.Or(a.At.Compare(b.At), strings.Compare(a.RequestID, b.RequestID))
		})
		for _, call := range fresh {
			if err := c.show(r, call); err != nil {
				return err
			}
			known[call.RequestID] = call.At
		}
		forgetOldest(known)
		if !background.Sleep(r.Context, callsPace) {
			return nil
		}
		var err error
		if fresh, err = c.since(r.Context, service, known); err != nil && !passes(err) {
			return refusals.Plain(err)
		}
		if err != nil {
			fmt.Fprintf(r.Err, "frontdesk: %s; retrying\n", term.OneLine(refusals.Plain(err)))
		}
	}
}

// since returns the calls that are not known.
func (c *integratorCallsCmd) since(ctx context.Context, service *client.Client, known map[string]time.Time) (fresh []client.JudgedCall, err error) {
	q := client.CallsQuery{Status: c.Status, IdempotencyKey: c.IdempotencyKey, Limit: pageMost}
	for range followPages {
		page, err := service.CallsPage(ctx, q)
		if err != nil {
			return fresh, err
		}
		before := len(fresh)
		for _, call := range page.Calls {
			if _, seen := known[call.RequestID]; !seen {
				fresh = append(fresh, call)
			}
		}
		if q.Cursor = page.Next; page.Next == "" || len(fresh) == before {
			break
		}
	}
	return fresh, nil
}

// passes reports whether an error may be gone at the next try.
func passes(err error) bool {
	refusal, refused := errors.AsType[*client.ServiceError](err)
	return !refused || refusal.Status == http.StatusTooManyRequests || refusal.Status >= http.StatusInternalServerError
}

// forgetOldest bounds the memory of shown calls.
func forgetOldest(known map[string]time.Time) {
	if len(known) <= followKnown {
		return
	}
	ids := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return known[a].Compare(known[b]) })
	for _, id := range ids[:len(ids)/2] {
		delete(known, id)
	}
}

// shownOwnCall is a call as a machine reads it.
type shownOwnCall struct {
	client.JudgedCall

	Fix string `json:"fix,omitzero"`
}

// show prints a call and, if it was refused, the reason and the fix.
func (c *integratorCallsCmd) show(r *term.Run, call client.JudgedCall) error {
	fix := refusals.FindOf(call.Rule, string(call.Code), call.Description)
	return c.print(r, shownOwnCall{call, fix}, func() {
		how := fmt.Sprintf("%s  %dms", call.Mode, call.DurationMS)
		if call.Unproven {
			how = "unproven"
		}
		if call.UserAgent != "" {
			how += "  " + call.UserAgent
		}
		if call.Replayed {
			how += "  replayed"
		}
		if call.Repeats > 0 {
			how += fmt.Sprintf("  and %d equal refusals before it", call.Repeats)
		}
		fmt.Fprintf(r.Out, "%s  %d  %s  %s  %s\n", call.At.Format(time.RFC3339), call.Status, call.Endpoint, how, call.RequestID)
		if call.Code == "" {
			return
		}
		why := string(call.Code)
		if call.Rule != "" {
			why += ", " + call.Rule
		}
		fmt.Fprintf(r.Out, "    %s (%s)\n", call.Description, why)
		if fix != "" {
			fmt.Fprintf(r.Out, "    -> %s\n", fix)
		}
	})
}

package bearer

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Report is the cache's state of one URL. It is for the application that owns the set
// and for the operator, never for the sender of a token.
type Report struct {
	Keys      []HeldKey   // of the current set, by kid; nil if absent
	FetchedAt time.Time   // when the fetch of that set ended; zero if absent
	Until     time.Time   // when that set expires; zero if absent
	LastFetch FetchReport // the latest completed fetch; its At is zero if there was none
}

// HeldKey is a key that verifies tokens.
type HeldKey struct {
	Kid   string
	Since time.Time // the end of the first fetch of those that have all contained it
}

// FetchReport is the result of one fetch of a key set.
type FetchReport struct {
	At          time.Time // when it ended
	Outcome     FetchOutcome
	Description string       // a complete sentence for the application, without an address of ours
	Keys        []KeyVerdict // in the order of the set; nil unless the answer was JSON
}

// FetchOutcome is the kind of a [FetchReport].
type FetchOutcome string

// The outcomes. The last three are those of D10.
const (
	FetchRead        FetchOutcome = "read"
	FetchUnreachable FetchOutcome = "unreachable"
	FetchNotJSON     FetchOutcome = "not-json"
	FetchNoUsableKey FetchOutcome = "no-usable-key"
)

var outcomes = map[Reason]FetchOutcome{
	errUnreachable.Reason: FetchUnreachable, errNotJSON.Reason: FetchNotJSON, errNoUsableKey.Reason: FetchNoUsableKey,
}

// ReportOf describes the result of reading a published key set at an instant, from the
// results of [KeyCache.Get] or [ReadPublished].
func ReportOf(at time.Time, set KeySet, err error) FetchReport {
	report := FetchReport{At: at, Outcome: FetchRead, Description: set.summary(), Keys: set.verdicts}
	refusal, refused := errors.AsType[*Refusal](err)
	if !refused {
		return report
	}
	report.Outcome = outcomes[refusal.Reason]
	switch report.Outcome {
	case FetchUnreachable:
		report.Description = unreachableBy(refusal.Cause)
	case FetchNotJSON:
		report.Description = describeNotJSON(refusal.Cause)
	case FetchRead, FetchNoUsableKey: // Description is the set's summary
	}
	return report
}

func describeNotJSON(cause error) string {
	why, _ := errors.AsType[notJSONError](cause)
	return "The answer " + string(why) + "."
}

// Private returns the kids of the keys that contain their private half.
func (r FetchReport) Private() (kids []string) {
	for _, key := range r.Keys {
		if key.Private {
			kids = append(kids, key.Kid)
		}
	}
	return kids
}

// summary counts the usable keys in a sentence.
func (s KeySet) summary() string {
	switch usable, all := len(s.byKid), len(s.verdicts); {
	case all == 0:
		return "The key set has no list of keys with a key in it."
	case all == 1 && usable == 1:
		return "The only key in the set can verify tokens."
	case all == 1:
		return "The only key in the set cannot verify tokens."
	case s.unread > 0:
		return fmt.Sprintf("Of the %d keys in the set, the first %d count, of which %d can verify tokens.", all+s.unread, all, usable)
	default:
		return fmt.Sprintf("Of the %d keys in the set, %d can verify tokens.", all, usable)
	}
}

// Report returns this process's state of the key set at a URL. It neither fetches nor
// waits.
func (c *KeyCache) Report(url string) Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.entries[url]
	if !known {
		return Report{}
	}
	report := Report{LastFetch: e.last}
	if !e.serves(c.config.Now(), 0) {
		return report
	}
	report.FetchedAt, report.Until = e.held.ended, e.until
	for _, kid := range e.held.set.Kids() {
		report.Keys = append(report.Keys, HeldKey{sanitised(kid), e.since[kid]})
	}
	return report
}

// keep stores the result of a fetch, and returns whether to warn the operator of
// private keys. The caller holds the mutex.
func (e *entry) keep(report FetchReport, set KeySet) (warn bool) {
	before := e.last.Private()
	e.last = report
	if report.Outcome == FetchRead {
		e.since = set.since(e.since, report.At)
	}
	private := report.Private()
	warn = len(private) > 0 && (!slices.Equal(private, before) || report.At.Sub(e.warned) >= warnEvery)
	if warn {
		e.warned = report.At
	}
	return warn
}

// warnEvery is the interval of warnings about the same private keys.
const warnEvery = time.Hour

// since returns since when each usable key has been in the set, given the same map of
// the previous set.
func (s KeySet) since(before map[string]time.Time, now time.Time) map[string]time.Time {
	since := make(map[string]time.Time, len(s.byKid))
	for kid := range s.byKid {
		since[kid] = now
		if earlier, held := before[kid]; held {
			since[kid] = earlier
		}
	}
	return since
}

//go:build prove

package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"

	"github.com/chromedp/chromedp"
)

// listener simulates a browser: it reads a stream, and reconnects at its last message
// whenever the stream ends.
type listener struct {
	mu   sync.Mutex
	ids  []string // of the requests in its messages
	at   []time.Time
	last string // id of the last message
	odd  []string
}

// listen reads the events of requests until ctx ends.
func (l *listener) listen(ctx context.Context, address, token string) {
	for ctx.Err() == nil {
		l.hear(ctx, address, token)
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (l *listener) hear(ctx context.Context, address, token string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?topics=inbox", http.NoBody)
	if err != nil {
		panic(err)
	}
	r.AddCookie(&http.Cookie{Name: "frontdesk-" + elm, Value: token})
	l.mu.Lock()
	if l.last != "" {
		r.Header.Set("Last-Event-ID", l.last)
	}
	l.mu.Unlock()
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return
	}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		l.take(lines.Text(), clock.System())
	}
}

func (l *listener) take(line string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	what, value, _ := strings.Cut(line, ": ")
	switch what {
	case "id":
		l.last = value
	case "event":
		if value != "beat" {
			l.odd = append(l.odd, value)
		}
	case "data":
		var message struct{ What, ID string }
		if err := json.Unmarshal([]byte(value), &message); err == nil && message.What == "submitted" {
			l.ids, l.at = append(l.ids, message.ID), append(l.at, now)
		}
	}
}

func (l *listener) heard() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ids)
}

// ready reports whether the listener has a position.
func (l *listener) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last != ""
}

// crowd are listeners of sessions that have four streams each.
func (c *clinic) crowd(n int) []*listener {
	c.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(c.t.Context()))
	var running sync.WaitGroup
	c.t.Cleanup(func() { stop(); c.line.cut(true); running.Wait() })
	all := make([]*listener, n)
	token := ""
	for i := range all {
		if i%4 == 0 {
			token = c.session(1 + i/4%(receptionists-1)) // the first one has the real browser
		}
		all[i] = &listener{}
		of := token // the next session's comes before the listener starts
		running.Go(func() { all[i].listen(ctx, c.page("events"), of) })
	}
	return all
}

// counting opens the inbox, and records the time of each new count of requests.
func (c *clinic) counting(b *tab) {
	c.t.Helper()
	b.open(c.page("requests"))
	b.signIn(nth("reception", 0), password)
	b.open(c.page("requests"))
	b.do(chromedp.Evaluate[chromedp.Void](`
		window.seen = [];
		new MutationObserver(() => window.seen.push([Date.now(), Number(document.querySelector("[data-count]")?.dataset.count)]))
			.observe(document.querySelector("[data-what]"), {subtree: true, childList: true, characterData: true, attributes: true})`))
}

// The longest times until a program is told, and until a page shows it: a page fetches its count
// twice a second.
const (
	mostDelay = 300 * time.Millisecond
	mostShown = 800 * time.Millisecond
)

var (
	browsers  = provetest.Pick(50, 200)
	perSecond = provetest.Pick(20, 50)
	measured  = provetest.Pick(10*time.Second, 30*time.Second)
)

// TestProvePagesFollowTheLog_D87 sends 50 events a second to 200 browsers, one of
// which is Chromium. In a night it sends 20 a second to 50 browsers. It measures from the commit
// until it is on the screen.
func TestProvePagesFollowTheLog_D87(t *testing.T) { //nolint:paralleltest // it takes the machine
	c, b := newClinic(t), newTab(t)
	crowd := c.crowd(browsers - 1)
	c.counting(b)
	c.awaitFirst(b, crowd)
	count := js[int](b, `window.seen.length && window.seen.at(-1)[1]`)
	begin := len(crowd[0].ids)
	var committed []time.Time
	pace := time.NewTicker(time.Second / time.Duration(perSecond))
	defer pace.Stop()
	for range int(measured.Seconds()) * perSecond {
		<-pace.C
		c.submit()
		committed = append(committed, clock.System())
	}
	clocktest.Eventually(t, func() bool {
		return !slices.ContainsFunc(crowd, func(l *listener) bool { return l.heard() < begin+len(committed) }) &&
			js[int](b, `window.seen.at(-1)[1]`) >= count+len(committed)
	}, "all have heard all")
	var told []time.Duration
	for _, l := range crowd {
		for n, at := range committed {
			told = append(told, l.at[begin+n].Sub(at))
		}
	}
	var shown []time.Duration
	seen := js[[][2]float64](b, `window.seen`)
	for n, at := range committed {
		for _, s := range seen {
			if int(s[1]) > count+n {
				shown = append(shown, time.UnixMilli(int64(s[0])).Sub(at))
				break
			}
		}
	}
	t.Logf("%d events at %d/s: told to %d programs after p50 %v, p99 %v, at most %v; shown by Chromium after p50 %v, p99 %v, at most %v",
		len(committed), perSecond, len(crowd), at(told, 50), at(told, 99), at(told, 100), at(shown, 50), at(shown, 99), at(shown, 100))
	provetest.Tried(t, len(committed), "events")
	provetest.Tried(t, len(crowd)+1, "browsers")
	if len(shown) != len(committed) || at(shown, 99) > mostShown || at(told, 99) > mostDelay {
		t.Errorf("%d of %d were shown", len(shown), len(committed))
	}
	b.quiet()
}

// at is the percentile of some durations.
func at(all []time.Duration, percent int) time.Duration {
	slices.Sort(all)
	return all[min(len(all)-1, len(all)*percent/100)].Round(time.Millisecond / 10)
}

// awaitFirst submits until all listeners get it, so that each has a position.
func (c *clinic) awaitFirst(b *tab, crowd []*listener) {
	c.t.Helper()
	clocktest.Eventually(c.t, func() bool {
		c.submit()
		return !slices.ContainsFunc(crowd, func(l *listener) bool { return !l.ready() }) && js[int](b, `window.seen.length`) > 0
	}, "everybody listens")
	id := c.submit()
	clocktest.Eventually(c.t, func() bool {
		return !slices.ContainsFunc(crowd, func(l *listener) bool { l.mu.Lock(); defer l.mu.Unlock(); return !slices.Contains(l.ids, id) })
	}, "everybody has heard the last one")
	for _, l := range crowd {
		l.mu.Lock()
		l.ids, l.at = nil, nil
		l.mu.Unlock()
	}
}

// TestProvePagesMissNoEvent_D87 cuts the line, restarts the service and stops
// browsers while requests come. Every listener gets each once, in order.
func TestProvePagesMissNoEvent_D87(t *testing.T) { //nolint:paralleltest // it takes the machine
	c, b := newClinic(t), newTab(t)
	crowd := c.crowd(23)
	c.counting(b)
	c.awaitFirst(b, crowd)
	var before int // the page counts them, perhaps a moment later
	testworld.Must(t, c.pool.QueryRow(t.Context(), `SELECT count(*) FROM inbox`).Scan(&before))
	var sent []string
	submit := func(n int) {
		for range n {
			sent = append(sent, c.submit())
			time.Sleep(10 * time.Millisecond)
		}
	}
	rounds := provetest.Pick(1, 3)
	for range rounds {
		submit(20)
		c.line.cut(false) // connections are lost
		submit(20)
		c.line.cut(true) // and cannot be made for a while
		submit(20)
		c.line.cut(false)
		submit(20)
		c.stop() // the service is restarted
		c.start()
		submit(20)
		b.do(chromedp.Evaluate[chromedp.Void](`window.until = Date.now() + 3000; while (Date.now() < window.until);`)) // the browser stops
		submit(20)
	}
	clocktest.Eventually(t, func() bool {
		return !slices.ContainsFunc(crowd, func(l *listener) bool { return l.heard() < len(sent) }) && js[int](b, `window.seen.at(-1)[1]`) >= before+len(sent)
	}, "everybody has heard of the last one")
	for n, l := range crowd {
		l.mu.Lock()
		if !slices.Equal(l.ids, sent) || len(l.odd) > 0 {
			t.Errorf("listener %d was told of %d requests, of which there are %d, and %v besides", n, len(l.ids), len(sent), l.odd)
		}
		l.mu.Unlock()
	}
	if got := js[int](b, `window.seen.at(-1)[1]`); got != before+len(sent) {
		t.Errorf("the browser counts %d, want %d", got, before+len(sent))
	}
	b.becomes(`document.querySelector(".stale").textContent === ""`)
	provetest.Tried(t, len(sent), "requests")
	provetest.Tried(t, len(crowd), "listeners")
	provetest.Tried(t, rounds, "restarts")
}

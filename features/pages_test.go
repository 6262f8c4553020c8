package features_test

import (
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// browser reads the practice's pages for a person: it keeps cookies, follows
// redirections and fills in forms.
type browser struct {
	w *world
	http.Client
}

// browser is the person's former one, or a new one.
func (w *world) browser(name string) *browser {
	if w.browsers[name] == nil {
		jar, _ := cookiejar.New(nil) // never fails
		w.browsers[name] = &browser{w, http.Client{Jar: jar, Timeout: stepLimit}}
	}
	return w.browsers[name]
}

// get opens a page of the practice of the last step.
func (b *browser) get(page string) error { return b.open(b.w.pages() + page) }

func (w *world) pages() string { return w.URL() + "/" + w.tenant(w.practice) + "/staff/" }

func (b *browser) open(address string) error {
	r, err := http.NewRequestWithContext(b.w.ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	return b.visit(r)
}

// visit keeps the page that comes.
func (b *browser) visit(r *http.Request) error {
	answer, err := b.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	b.w.page = html.UnescapeString(string(page))
	return err
}

// comesToSay opens a page again until it contains a text: pages follow the log.
func (w *world) comesToSay(open func() error, text string) error {
	return eventually(func() error {
		err := open()
		if err == nil && !strings.Contains(w.page, text) {
			err = fmt.Errorf("the page is %s", w.page)
		}
		return err
	})
}

var (
	forms  = regexp.MustCompile(`(?s)<form [^>]*action="([^"]*)".*?</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// fill opens a page and sends its form with that action or with a button of that name.
func (b *browser) fill(page, which string, values url.Values) error {
	if err := b.get(page); err != nil {
		return err
	}
	return b.submit(which, values)
}

// submit sends such a form of the current page.
func (b *browser) submit(which string, values url.Values) error {
	for _, form := range forms.FindAllStringSubmatch(b.w.page, -1) {
		button := strings.Contains(form[0], `name="do" value="`+which+`"`)
		if !button && !strings.HasSuffix(form[1], which) {
			continue
		}
		sent := url.Values{}
		for _, field := range hidden.FindAllStringSubmatch(form[0], -1) {
			sent.Set(field[1], field[2])
		}
		maps.Copy(sent, values)
		if button {
			sent.Set("do", which)
		}
		return b.send(form[1], sent)
	}
	return fmt.Errorf("no form %q in %s", which, b.w.page)
}

func (b *browser) send(action string, sent url.Values) error {
	r, err := http.NewRequestWithContext(b.w.ctx, http.MethodPost, b.w.URL()+action, strings.NewReader(sent.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.visit(r)
}

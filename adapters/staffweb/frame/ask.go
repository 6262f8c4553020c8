package frame

import "net/url"

// Ask is what an application has sent the browser with, exactly as it was written.
type Ask struct {
	App, Redirect string
	Made          bool // something was asked, be it nonsense
}

// askOf reads what was asked of a page. A parameter that is there twice counts as
// missing, because nobody knows which of the two is meant.
func askOf(values url.Values, page string) Ask {
	one := func(name string) string {
		if len(values[name]) == 1 {
			return values[name][0]
		}
		return ""
	}
	return Ask{one("app"), one("redirect"), page == "authorise" || values.Has("app") || values.Has("redirect")}
}

// Query carries what was asked from one page to the next.
func (a Ask) Query() string {
	if !a.Made {
		return ""
	}
	return "?" + url.Values{"app": {a.App}, "redirect": {a.Redirect}}.Encode()
}

// Purpose is what a form for this ask is good for.
func (a Ask) Purpose() string { return "authorise\x00" + a.App + "\x00" + a.Redirect }

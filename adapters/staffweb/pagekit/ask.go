package pagekit

import "net/url"

// Ask is the request of an application that redirected the browser, exactly as written.
type Ask struct {
	App, Redirect string
	Made          bool // there is a request, valid or not
}

// askOf reads the request from a page's parameters. A duplicate parameter counts as
// missing, because it is unknown which of the two is meant.
func askOf(values url.Values, page string) Ask {
	one := func(name string) string {
		if len(values[name]) == 1 {
			return values[name][0]
		}
		return ""
	}
	return Ask{one("app"), one("redirect"), page == "authorise" || values.Has("app") || values.Has("redirect")}
}

// Query carries the request from one page to the next.
func (a Ask) Query() string {
	if !a.Made {
		return ""
	}
	return "?" + url.Values{"app": {a.App}, "redirect": {a.Redirect}}.Encode()
}

// Purpose is the purpose of a form for this request.
func (a Ask) Purpose() string { return "authorise\x00" + a.App + "\x00" + a.Redirect }

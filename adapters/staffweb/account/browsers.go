package account

import "strings"

// known is a word of a User-Agent, and its usual name.
type known struct{ word, name string }

// browsers and systems are in order of precedence, because most browsers also claim to
// be others.
var (
	browsers = []known{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []known{
		{"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "a Mac"}, {"Linux", "Linux"},
	}
)

// browserOf describes the browser in plain words, such as "Firefox on Windows". It
// copies nothing from the header, because browsers may send anything.
func browserOf(userAgent string) string {
	browser, system := named(browsers, userAgent), named(systems, userAgent)
	if browser == "" {
		browser = "A browser"
	}
	if system == "" {
		return browser
	}
	return browser + " on " + system
}

func named(among []known, userAgent string) string {
	for _, k := range among {
		if strings.Contains(userAgent, k.word) {
			return k.name
		}
	}
	return ""
}

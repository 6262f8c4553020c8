package features_test

import (
	"fmt"
	"net/url"

	"github.com/cucumber/godog"
)

// practiceItselfSteps are about managers' decisions on the practice's pages.
func (w *world) practiceItselfSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" wants to "([^"]*)" (medical|admin) requests$`, func(manager, do, typ string) error {
		return w.browser(manager).fill("opening/type/"+typ, do, nil)
	})
	sc.Step(`^"([^"]*)" wants to close the practice now until "([^"]*)" on "([^"]*)"$`, func(manager, clock, date string) error {
		return w.browser(manager).fill("opening/close", "opening", url.Values{
			"begin": {"now"}, "end": {"at"}, "until-date": {date}, "until-time": {clock},
		})
	})
	sc.Step(`^"([^"]*)" means it$`, func(manager string) error { return w.browser(manager).submit("opening", nil) })
	sc.Step(`^"([^"]*)" opens the page of "([^"]*)"$`, func(manager, app string) error {
		return w.browser(manager).get(w.pageOf(app))
	})
	sc.Step(`^"([^"]*)" decides to "([^"]*)" "([^"]*)"$`, func(manager, do, app string) error {
		return w.browser(manager).fill(w.pageOf(app), do, nil)
	})
}

func (w *world) pageOf(app string) string { return fmt.Sprint("applications/", w.applications[app].ID) }

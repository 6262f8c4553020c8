package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A manager makes a team, a receptionist gives it a request, a member takes it and puts it off,
// and sees it again on its day.
func TestBrowserPutsRequestOffUntilADay_D165(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	may := p.as("dr.may", "teams?add")
	may.do(chromedp.SetValue("#name", "GPs"), chromedp.Click(`//label[contains(., "Dr Lee")]`))
	may.press("Save the team")
	may.shows("The team has been saved.")
	may.fits("teams")
	may.loading(chromedp.Click(`//main//a[contains(., "GPs")]`))
	may.fits("team")

	bob := p.as("bob", "requests/"+p.rash.String())
	bob.do(chromedp.SetValue("#text", "Please look at the picture."))
	bob.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#to").value = [...document.querySelectorAll("#to option")].find(o => o.innerText === "GPs (team), 0 open").value`))
	bob.press("Assign, with the note")
	bob.shows("With GPs.")
	bob.shows("Please look at the picture.")
	lee := p.as("dr.lee", "requests?tab=mine")
	lee.comes(p.page(elm, "requests?tab=mine"), "With GPs.")
	lee.look("requests-team")
	bob.open(p.page(elm, "requests/"+p.rash.String()))
	bob.shows("GPs")
	lee.press("Take: Ann Archer")
	lee.shows("Request assigned to you.")
	lee.do(chromedp.SendKeys("#until", "3/7/2026"))
	lee.press("Put off, with the note")
	lee.shows("Later, until 3 July 2026.")
	lee.fits("request-later")
	lee.comes(p.page(elm, "requests?tab=later"), "Until 3 July 2026")
	lee.fits("requests-later")
	may.open(p.page(elm, "overview"))
	may.shows("GPs (team)")
	may.fits("overview-teams")

	p.Pass(48 * time.Hour)
	back := p.as("bob", "requests")
	back.comes(p.page(elm, "requests"), "Ann Archer")
	back.open(p.page(elm, "requests?tab=later"))
	back.shows("No requests wait for a later day.")
	for _, b := range []*tab{may, bob, lee, back} {
		b.quiet()
	}
}

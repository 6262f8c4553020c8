package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// A manager saves the texts for patients without script, and a privacy officer reads them.
func TestBrowserEditsTextsForPatients_D144(t *testing.T) {
	t.Parallel()
	p, _ := guarded(t)
	_, err := p.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "may.manager", Name: "May Manager", Email: "staff@practice.example", Roles: staff.Roles{staff.Manager}, Password: password,
	})
	testworld.Must(t, err)
	may, ann, page := newTab(t), newTab(t), p.page(elm, "privacy-texts")
	may.open(page)
	may.signIn("may.manager", password)
	may.loading(chromedp.Click(`a[href$="/privacy-texts"]`))
	may.titled("Texts for patients")
	may.shows("These are default texts.")
	may.fits("texts-default")
	may.do(chromedp.SetValue("#"+string(practice.Complaints), " "))
	may.press("Save the texts")
	may.titled("Error: Texts for patients")
	may.fits("texts-refused")
	may.withoutScript()
	may.open(page)
	may.do(chromedp.SetValue("#"+string(practice.Complaints), "Write to privacy@elm.example."))
	may.press("Save the texts")
	may.shows("The texts have been saved.")

	ann.open(p.page(elm, "privacy"))
	ann.signIn("po.ann", password)
	ann.loading(chromedp.Click(`a[href$="/privacy-texts"]`))
	ann.shows("Write to privacy@elm.example.")
	ann.fits("texts-read")
}

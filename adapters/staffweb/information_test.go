package staffweb_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

const textsPage = atElm + "privacy-texts"

// typedTexts fills in the form of the texts.
func typedTexts(t *testing.T, page seen, text string) url.Values {
	t.Helper()
	block, _ := page.formFor(t, textsPage, string(practice.Purposes))
	form := hiddenIn(block)
	for _, topic := range practice.Topics() {
		form.Set(string(topic), fmt.Sprintf("%s on %s", text, topic))
	}
	return form
}

func TestManagerWordsTextsForPatients_D144(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	page := d.manager.get(textsPage)
	page.wants(t, http.StatusOK, "", "These are default texts")
	for _, topic := range practice.Topics() {
		page.wants(t, http.StatusOK, "", (practice.Information{}).Text(topic))
	}
	if answer := d.manager.post(textsPage, typedTexts(t, page, "Our <b>words</b>")); answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s\n%s", answer.Status, answer.body)
	}
	d.manager.get(textsPage).wants(t, http.StatusOK, "", "Version 1.")

	// The privacy officer reads the current texts, and has no form.
	shown := d.officer.get(textsPage)
	shown.wants(t, http.StatusOK, "", "Our &lt;b&gt;words&lt;/b&gt; on purposes")
	if strings.Contains(shown.body, "<textarea") {
		t.Error("a privacy officer has a form")
	}
	if now := d.information(t, elm); now.Version != 1 || now.Text(practice.Transfers) != "Our <b>words</b> on transfers" {
		t.Errorf("the texts are %+v", now)
	}
	if now := d.information(t, oak); now.Version != 0 {
		t.Errorf("another practice's texts are %+v", now)
	}
}

func TestTextsOfTwoManagersMeet_D144(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	d.has(t, elm, "dr.lee", staff.Manager)
	other := d.signedIn(t, elm, "dr.lee")
	first, second := d.manager.get(textsPage), other.get(textsPage)
	d.manager.post(textsPage, typedTexts(t, first, "Mine"))
	late := other.post(textsPage, typedTexts(t, second, "Yours"))
	late.wants(t, http.StatusConflict, "", "a colleague has changed the texts")
	late.wants(t, http.StatusConflict, "", "Yours on transfers")
	if now := d.information(t, elm); now.Text(practice.Purposes) != "Mine on purposes" {
		t.Errorf("the texts are %+v", now)
	}
	if again := other.post(textsPage, typedTexts(t, late, "Ours")); again.StatusCode != http.StatusSeeOther {
		t.Errorf("%s", again.Status)
	}
}

func TestRefusedTextsStayInForm_D144(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	form := typedTexts(t, d.manager.get(textsPage), "Kept")
	form.Set(string(practice.Complaints), " ")
	answer := d.manager.post(textsPage, form)
	answer.wants(t, http.StatusBadRequest, "", "Write a text about this topic")
	answer.wants(t, http.StatusBadRequest, "", "Kept on purposes")
	form.Set(string(practice.Complaints), "ico.org.uk")
	form.Set("token", "forged")
	d.manager.post(textsPage, form).wants(t, http.StatusForbidden, "", "Kept on purposes")
	form.Set("seen", "x")
	d.manager.post(textsPage, form).wants(t, http.StatusBadRequest, "", "")
	if now := d.information(t, elm); now.Version != 0 {
		t.Errorf("the texts are %+v", now)
	}
}

func (d *desks) information(t *testing.T, tenant string) practice.Information {
	t.Helper()
	now, err := commands.Load[practice.Information](t.Context(), d.pages.Desk.Store, practice.InformationStream(tenant))
	must(t, err)
	return now
}

package features_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"

	"frontdesk/domain/patient"
)

// deskPages is what a browser was shown, and where: titles and addresses go to its history.
type deskPages struct{ texts, titles, addresses bytes.Buffer }

var (
	titleTag  = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	addressIn = regexp.MustCompile(`(?:href|action|src)="([^"]*)"`)
)

func (p *deskPages) see(page string) {
	p.texts.WriteString(page)
	for _, title := range titleTag.FindAllString(page, -1) {
		p.titles.WriteString(title + "\n")
	}
	for _, address := range addressIn.FindAllString(page, -1) {
		p.addresses.WriteString(address + "\n")
	}
}

// deskEverything uses the staff pages and the endpoints with contact details, NHS numbers and a
// reply, valid and invalid, and opens each page that shows them. No title and no address has any.
func (k *keeping) deskEverything() {
	k.t.Helper()
	var pages deskPages
	k.must(k.worksThere("Rose", "rose", "receptionist"))
	rose := k.browser("Rose")
	rose.CheckRedirect = func(to *http.Request, _ []*http.Request) error {
		pages.addresses.WriteString(to.URL.String() + "\n")
		return nil
	}
	k.must(k.signsIn("Rose", firstPassword))
	see := func(err error) { k.t.Helper(); k.must(err); pages.see(k.page) }

	name := k.word("a patient's name with contact details")
	ann := k.contact("as registered")
	see(rose.fill("patients/register", "/register", with(ann, "name", name, "born", "1 3 1990")))
	k.must(k.comesToSay(func() error { return rose.fill("patients", "/patients", url.Values{"nhs-number": ann["nhs-number"]}) }, name))
	pages.see(k.page)
	registered, err := k.last("patient.registered.v1")
	k.must(err)
	k.patients[name] = registered.Event.(patient.Registered).Patient
	record := k.recordOf(name)

	see(rose.get(record))
	see(rose.fill(record+"/contact", "/contact", url.Values{
		"telephone": {k.word("an invalid telephone number")}, "email": {k.word("an invalid email")}, "nhs-number": {k.wrongNumber("as contact details")},
	}))
	see(rose.fill(record+"/contact", "/contact", k.contact("as changed")))
	see(rose.get(record))
	see(rose.get(record + "/timeline"))
	see(rose.fill("patients", "/patients", url.Values{"find": {k.wrongNumber("in a search")}}))

	const path = "/transactional-api/set-contact-details"
	body := func(telephone, email, number string) string {
		return fmt.Sprintf(`{"patientId": "<%s>", "telephone": %q, "email": %q, "nhsNumber": %q}`, name, telephone, email, number)
	}
	set := k.contact("as set by an application")
	k.expect(http.MethodPost, path, body(k.word("a telephone number that is refused"), k.word("an email that is refused"), k.wrongNumber("that is refused")), http.StatusBadRequest)
	k.expect(http.MethodPost, path, body(set.Get("telephone"), set.Get("email"), set.Get("nhs-number")), http.StatusOK)
	see(rose.get(record))

	asked, reply := k.word("the beginning of a request"), k.word("a reply")
	k.expect(http.MethodPost, submitPath, fmt.Sprintf(`{"patientId": "<%s>", "requestType": "medical", "requester": "patient",
		"response": [{"question": "healthConcern", "answer": %q}]}`, name, asked), http.StatusOK)
	var made struct {
		ID string `json:"patientRequestId"`
	}
	k.must(json.Unmarshal(k.answer.body, &made))
	k.must(k.comesToSay(func() error { return rose.get("requests?tab=new") }, asked))
	pages.see(k.page)
	page := "requests/" + made.ID
	see(rose.fill(page, "complete", url.Values{"outcome": {"signposted"}, "answer": {reply}})) // refused, and kept
	see(rose.fill(page, "complete", url.Values{"outcome": {"replied"}, "answer": {reply}}))
	k.expect(http.MethodGet, outcomePath+made.ID, "", http.StatusOK)
	if !bytes.Contains(k.answer.body, []byte(reply)) {
		k.t.Errorf("the application was shown %s", k.answer.body)
	}
	see(rose.get(page))

	k.none("a title", pages.titles.Bytes(), k.words, "")
	k.none("an address", pages.addresses.Bytes(), k.words, "")
	for _, value := range []string{asked, reply, set.Get("telephone"), set.Get("email"), set.Get("nhs-number"), ann.Get("email")} {
		if !bytes.Contains(pages.texts.Bytes(), []byte(value)) {
			k.t.Errorf("no page showed %s", k.words[value])
		}
	}
}

// contact returns contact details, as a form has them. Each is a word.
func (k *keeping) contact(how string) url.Values {
	telephone, number := "", ""
	for ok := false; !ok; number, ok = patient.ParseNHSNumber(k.digits(10)) {
		telephone = k.digits(15)
	}
	spaced := number[:3] + " " + number[3:6] + " " + number[6:]
	email := k.word("an email "+how) + "@elm.example"
	k.words[email], k.words[telephone] = "an email "+how, "a telephone number "+how
	k.words[number], k.words[spaced] = "an NHS number "+how, "an NHS number "+how
	return url.Values{"telephone": {telephone}, "email": {email}, "nhs-number": {spaced}}
}

// wrongNumber returns 10 digits with a wrong check digit.
func (k *keeping) wrongNumber(how string) string {
	for {
		number := k.digits(10)
		if _, ok := patient.ParseNHSNumber(number); !ok {
			k.words[number] = "a wrong NHS number " + how
			return number
		}
	}
}

func (k *keeping) digits(n int) (digits string) {
	for range n {
		digit, err := rand.Int(rand.Reader, big.NewInt(9))
		k.must(err)
		digits += fmt.Sprint(digit.Int64() + 1)
	}
	return digits
}

// with returns a form with more fields.
func with(form url.Values, more ...string) url.Values {
	all := url.Values{}
	for field, values := range form {
		all[field] = values
	}
	for n := 0; n < len(more); n += 2 {
		all.Set(more[n], more[n+1])
	}
	return all
}

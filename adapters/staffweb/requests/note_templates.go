package requests

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/practice"
	"frontdesk/projections"
)

// templatesPage is the page on which managers keep the note templates.
type templatesPage struct {
	pagekit.FormErrors
	Done  string // the last action; "" for none
	Sent  string // the N of the form that was sent, which keeps its text; "" for none
	Forms []templateForm
	New   templateForm
	Full  bool // the practice has as many as it can
	Token string
}

// templateForm is the form of one template.
type templateForm struct {
	N         string // of its fields
	Name, Was string // Was is the text that the form was made for
	Text      pagekit.Area
}

const templatesToken = "note-templates"

// templatesDone are the page's texts about the last action.
var templatesDone = map[string]string{"saved": "The template has been saved.", "removed": "The template has been removed."}

const templateHint = "At most 2,000 characters. It is kept for ever, so name no patient."

// noteTemplates shows the templates of the practice.
func (s *Section) noteTemplates(r *pagekit.Request) error {
	return s.showTemplates(r, http.StatusOK, templatesPage{Done: templatesDone[r.Form.Get("done")]})
}

// showTemplates shows them, and the typed values of the form that was sent.
func (s *Section) showTemplates(r *pagekit.Request, status int, page templatesPage) error {
	all, err := s.Templates.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	for n, t := range append(all, projections.NoteTemplate{}) {
		form := templateForm{N: strconv.Itoa(n + 1), Name: t.Name, Was: t.Text}
		if n == len(all) {
			form.N = "new"
		}
		form.Text = pagekit.Area{ID: "text-" + form.N, Label: "Text", Hint: templateHint, Value: t.Text}
		if page.Sent == form.N {
			form.Text.Value, form.Text.Fault = r.FormText(form.Text.ID), page.Fault(form.Text.ID)
		}
		if form.N == "new" {
			form.Name = r.Form.Get("name")
			page.New = form
		} else {
			page.Forms = append(page.Forms, form)
		}
	}
	page.Full, page.Token = len(all) >= practice.MaxNoteTemplates, r.Token(templatesToken)
	s.Show(r, pagekit.View{Template: templates["note_templates"], Status: status, Title: page.PageTitle("Note templates"), Content: page})
	return nil
}

// setTemplate saves, adds or removes a template. A refused form is shown again as it was typed.
func (s *Section) setTemplate(r *pagekit.Request) error {
	n := r.Form.Get("n")
	field := "text-" + n
	if !r.HasToken(templatesToken) {
		status, wrong := r.Unsent(field)
		return s.showTemplates(r, status, templatesPage{Sent: n, FormErrors: wrong})
	}
	text, was, done := r.FormText(field), r.FormText("was"), "saved"
	switch {
	case r.Form.Get("do") == "remove":
		text, done = "", "removed"
	case strings.TrimSpace(text) == "":
		return s.showTemplates(r, http.StatusBadRequest, templatesPage{Sent: n, FormErrors: pagekit.FormError(field, "Write a text, or remove the template")})
	}
	err := s.Desk.SetNoteTemplate(r.StaffContext(), commands.SetNoteTemplate{Tenant: r.Tenant, Name: r.Form.Get("name"), Text: text, Was: &was})
	if wrong, ok := pagekit.FormErrorsOf(err, field); ok {
		if long := pagekit.TooLong(text, practice.MaxNoteTemplateText); long != "" {
			wrong = pagekit.FormError(field, long)
		}
		if !errors.Is(err, practice.ErrNoteTemplateChanged) {
			return s.showTemplates(r, http.StatusBadRequest, templatesPage{Sent: n, FormErrors: wrong})
		}
		return s.showTemplates(r, http.StatusConflict, templatesPage{Sent: n, FormErrors: pagekit.FormError(field, "Nothing has been saved: a colleague has changed this template. Your text is still here. If you save it now, it replaces your colleague’s.")})
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/note-templates?done=" + done)
}

// insertTemplate adds the chosen template to the typed text, and shows the page again. It saves
// nothing. A page with a script does the same without a request.
func (s *Section) insertTemplate(r *pagekit.Request, typed typed) error {
	all, err := s.Templates.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.Name == r.Form.Get("template") {
			typed.text = strings.TrimLeft(strings.TrimRight(typed.text, "\n")+"\n"+t.Text, "\n")
			return s.show(r, response{status: http.StatusOK, typed: typed, done: "The template is in the note, which is not saved yet."})
		}
	}
	return s.show(r, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormError("template", "Choose a template.")})
}

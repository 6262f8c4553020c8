package practice

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The limits of note templates.
const (
	MaxNoteTemplates    = 40
	MaxNoteTemplateName = 60   // characters
	MaxNoteTemplateText = 2000 // characters
)

// Events of note templates: short texts that staff insert into notes. They name no patient.
type (
	// NoteTemplateSet records the text of a template, new or not.
	NoteTemplateSet struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	// NoteTemplateRemoved records that the practice no longer has a template.
	NoteTemplateRemoved struct {
		Name string `json:"name"`
	}
)

// EventName returns the name that the event is stored under.
func (NoteTemplateSet) EventName() string { return "practice.note-template-set.v1" }

// EventName returns the name that the event is stored under.
func (NoteTemplateRemoved) EventName() string { return "practice.note-template-removed.v1" }

// The refusals of rule 7.
var (
	ErrInvalidNoteTemplate = fault.New(fault.Invalid, "invalid-note-template",
		"Enter a name of at most 60 characters and plain text of at most 2,000 characters.")
	ErrTooManyNoteTemplates = fault.New(fault.Conflict, "too-many-note-templates", "Remove a note template first: a practice can have 40.")
	ErrNoteTemplateChanged  = fault.New(fault.Conflict, "note-template-changed", "Read the note template again: a colleague has changed it.")
)

// NoteTemplateStream returns the stream of a practice's note templates.
func NoteTemplateStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("note-templates", tenant)}
}

// NoteTemplates is the note templates of a practice, by name.
type NoteTemplates struct{ texts map[string]string }

// Set changes a template, adds it or, with an empty text, removes it (rule 7). A nil Was is not
// compared; otherwise it is the text in the author's form, or "" for a new template. The same text
// again changes nothing.
func (n NoteTemplates) Set(name, text string, was *string) ([]event.Event, error) {
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if !isPlain(name, MaxNoteTemplateName, "") || name == "" || !isPlain(text, MaxNoteTemplateText, "\n\t") {
		return nil, ErrInvalidNoteTemplate
	}
	before, has := n.texts[name]
	switch {
	case was != nil && *was != before:
		return nil, ErrNoteTemplateChanged
	case before == text:
		return nil, nil
	case text == "":
		return []event.Event{NoteTemplateRemoved{name}}, nil
	case !has && len(n.texts) >= MaxNoteTemplates:
		return nil, ErrTooManyNoteTemplates
	}
	return []event.Event{NoteTemplateSet{name, text}}, nil
}

// isPlain reports whether a text is printable, apart from some characters, and within a limit.
func isPlain(text string, most int, further string) bool {
	return utf8.RuneCountInString(text) <= most && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(further, r) })
}

// Apply returns the templates after the event.
func (n NoteTemplates) Apply(e event.Event) NoteTemplates {
	texts := maps.Clone(n.texts)
	if texts == nil {
		texts = map[string]string{}
	}
	switch e := e.(type) {
	case NoteTemplateSet:
		texts[e.Name] = e.Text
	case NoteTemplateRemoved:
		delete(texts, e.Name)
	default:
		return n
	}
	return NoteTemplates{texts}
}

// Events returns the events of the stream of a practice's note templates.
func (NoteTemplates) Events() []event.Event {
	return []event.Event{NoteTemplateSet{}, NoteTemplateRemoved{}}
}

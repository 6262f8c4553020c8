package practice_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
)

func TestPracticeKeepsNoteTemplates_D156(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.NoteTemplates]
	was := func(text string) *string { return &text }
	set := func(name, text string, was *string) func(practice.NoteTemplates) ([]event.Event, error) {
		return func(n practice.NoteTemplates) ([]event.Event, error) { return n.Set(name, text, was) }
	}
	first := practice.NoteTemplateSet{Name: "Rang", Text: "Rang, no answer."}
	removed := practice.NoteTemplateRemoved{Name: "Rang"}
	longest := strings.Repeat("é", practice.MaxNoteTemplateText)

	given().When(set(" Rang ", "Rang, no answer.\n", was(""))).Then(t, first)
	given(first).When(set("Rang", "Rang, no answer.", was("Rang, no answer."))).Then(t)
	given(first).When(set("Rang", longest, was("Rang, no answer."))).Then(t, practice.NoteTemplateSet{Name: "Rang", Text: longest})
	given(first).When(set("Rang", "Else", was(""))).Refuses(t, practice.ErrNoteTemplateChanged)
	given(first).When(set("Rang", "Else", nil)).Then(t, practice.NoteTemplateSet{Name: "Rang", Text: "Else"})
	given(first).When(set("Rang", "", was("Rang, no answer."))).Then(t, removed)
	given(first, removed).When(set("Rang", "", was(""))).Then(t)
	given(first, removed).When(set("Rang", "Again\n\tand again", nil)).Then(t, practice.NoteTemplateSet{Name: "Rang", Text: "Again\n\tand again"})
	for _, wrong := range [][2]string{{"", "text"}, {" ", "text"}, {"a\nb", "text"}, {"\xff", "text"}, {"name", longest + "é"}, {"name", "a\x1bb"}, {strings.Repeat("é", practice.MaxNoteTemplateName+1), "text"}} {
		given().When(set(wrong[0], wrong[1], nil)).Refuses(t, practice.ErrInvalidNoteTemplate)
	}
	var full []event.Event
	for n := range practice.MaxNoteTemplates {
		full = append(full, practice.NoteTemplateSet{Name: fmt.Sprint("Template ", n), Text: "text"})
	}
	given(full...).When(set("One more", "text", nil)).Refuses(t, practice.ErrTooManyNoteTemplates)
	given(full...).When(set("Template 7", "else", nil)).Then(t, practice.NoteTemplateSet{Name: "Template 7", Text: "else"})
}

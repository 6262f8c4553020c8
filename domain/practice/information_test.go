package practice_test

import (
	"maps"
	"strings"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
)

// information is the default texts, with some replaced.
func information(some map[practice.Topic]string) practice.InformationSet {
	texts := map[practice.Topic]string{}
	for _, topic := range practice.Topics() {
		texts[topic] = practice.Information{}.Text(topic)
	}
	maps.Copy(texts, some)
	return practice.InformationSet{Texts: texts}
}

func TestPracticeWordsItsInformation_D144(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Information]
	set := func(topic practice.Topic, text string, seen int) func(practice.Information) ([]event.Event, error) {
		return func(i practice.Information) ([]event.Event, error) {
			return i.Set(map[practice.Topic]string{topic: text}, seen)
		}
	}
	longest := strings.Repeat("é", practice.MaxInformation)
	first := information(map[practice.Topic]string{practice.Purposes: "To treat you."})

	given().When(set(practice.Purposes, " To treat you.\n", 0)).Then(t, first)
	given(first).When(set(practice.Transfers, longest, 1)).Then(t,
		information(map[practice.Topic]string{practice.Purposes: "To treat you.", practice.Transfers: longest}))
	given(first).When(set(practice.Purposes, "To treat you.", 1)).Then(t)
	given(first).When(set(practice.Purposes, "Else", 0)).Refuses(t, practice.ErrInformationChanged)
	given(first).When(set(practice.Purposes, "To treat you.\n\tAlways.", -1)).Then(t,
		information(map[practice.Topic]string{practice.Purposes: "To treat you.\n\tAlways."}))
	given().When(set("other", "Text", 0)).Refuses(t, practice.ErrUnknownTopic)
	for _, text := range []string{"", " \n", longest + "é", "a\x00b", "a\x1bb", "\xff"} {
		given().When(set(practice.Purposes, text, 0)).Refuses(t, practice.ErrInvalidInformation)
	}
	// What a manager saves without a change is theirs from then on.
	given().When(func(i practice.Information) ([]event.Event, error) { return i.Set(nil, 0) }).Then(t, information(nil))
}

func TestEveryTopicHasADefaultText_D144(t *testing.T) {
	t.Parallel()
	for _, topic := range practice.Topics() {
		text := practice.Information{}.Text(topic)
		if _, err := (practice.Information{}).Set(map[practice.Topic]string{topic: text}, 0); err != nil {
			t.Errorf("%s: %q: %v", topic, text, err)
		}
	}
}

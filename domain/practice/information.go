package practice

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Topic is a point of Article 15 of the GDPR on which each practice informs patients in
// words of its own. The other points are answered by the data in a subject access pack.
type Topic string

// The topics.
const (
	Purposes           Topic = "purposes"
	RetentionPeriod    Topic = "retention-period"
	RightsOfPatients   Topic = "rights"
	Complaints         Topic = "complaints"
	AutomatedDecisions Topic = "automated-decisions"
	Transfers          Topic = "transfers"
)

// Topics lists the topics in the order of the article.
func Topics() []Topic {
	return []Topic{Purposes, RetentionPeriod, RightsOfPatients, Complaints, AutomatedDecisions, Transfers}
}

// MaxInformation is how many characters the text on one topic may have.
const MaxInformation = 2000

// InformationSet records the practice's texts on all topics, so that readers need no
// earlier events.
type InformationSet struct {
	Texts map[Topic]string `json:"texts"`
}

// EventName returns the name that the event is stored under.
func (InformationSet) EventName() string { return "practice.subject-access-information-set.v1" }

// The refusals of rule 6.
var (
	ErrInvalidInformation = fault.New(fault.Invalid, "invalid-information",
		"Write plain text of at most 2,000 characters on each topic that you name.")
	ErrUnknownTopic = fault.New(fault.Invalid, "unknown-topic",
		"Choose topics from purposes, retention-period, rights, complaints, automated-decisions and transfers.")
	ErrInformationChanged = fault.New(fault.Conflict, "information-changed", "Read the texts again: a colleague has changed them.")
)

// InformationStream returns the stream of a practice's texts for subject access.
func InformationStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("subject-access-information", tenant)}
}

// Information is a practice's texts for subject access.
type Information struct {
	Version int // how often the practice has set them; 0 for the default texts
	texts   map[Topic]string
}

// Text returns the text on a topic: the practice's, or the default.
func (i Information) Text(of Topic) string {
	if text, ok := i.texts[of]; ok {
		return text
	}
	return defaultInformation[of]
}

// Set replaces the texts on some topics (rule 6). Seen is the version that the author has
// read; a negative one is not compared. The same texts again change nothing.
func (i Information) Set(some map[Topic]string, seen int) ([]event.Event, error) {
	texts := map[Topic]string{}
	for _, topic := range Topics() {
		texts[topic] = i.Text(topic)
	}
	before := maps.Clone(texts)
	for topic, text := range some {
		if !slices.Contains(Topics(), topic) {
			return nil, ErrUnknownTopic
		}
		if texts[topic] = strings.TrimSpace(text); !isInformation(texts[topic]) {
			return nil, ErrInvalidInformation
		}
	}
	switch {
	case seen >= 0 && seen != i.Version:
		return nil, ErrInformationChanged
	case maps.Equal(before, texts) && i.Version > 0:
		return nil, nil
	}
	return []event.Event{InformationSet{texts}}, nil
}

func isInformation(text string) bool {
	return text != "" && isPlain(text, MaxInformation, "\n\t")
}

// Apply returns the information after the event.
func (i Information) Apply(e event.Event) Information {
	if e, ok := e.(InformationSet); ok {
		i.Version, i.texts = i.Version+1, e.Texts
	}
	return i
}

// Events returns the events of the stream of a practice's texts.
func (Information) Events() []event.Event { return []event.Event{InformationSet{}} }

// defaultInformation is the texts of a practice that has set none. They state only what
// holds for every practice that uses this service.
var defaultInformation = map[Topic]string{
	Purposes: "We use your data to provide health care to you: to answer your requests, to arrange appointments and consultations, " +
		"and to keep your record. We also use them to meet our legal duties, and to show who has accessed your record.",
	RetentionPeriod: "We keep your data while you are our patient, and afterwards for as long as the law requires for medical records. " +
		"Ask us which period applies to you.",
	RightsOfPatients: "You may ask us to correct data that are wrong, to erase data, or to restrict how we use them, and you may object to their use. " +
		"The law requires us to keep some records. If we refuse a request, we will give you the reason.",
	Complaints: "If you are unhappy with how we use your data, please tell us. You may also complain at any time to the supervisory authority. " +
		"In the United Kingdom, that is the Information Commissioner’s Office: ico.org.uk, telephone 0303 123 1113.",
	AutomatedDecisions: "This service makes no decision about you automatically, and builds no profile of you.",
	Transfers:          "Ask us whether any of your data are processed outside your country, and which safeguards then apply.",
}

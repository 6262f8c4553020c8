package subjectaccess

import (
	"iter"

	"frontdesk/domain/practice"
)

// informed is what the practice tells patients on a topic of Article 15 of the GDPR.
type informed struct {
	Topic   practice.Topic `json:"topic"`
	Title   string         `json:"title"`
	Article string         `json:"article"`
	Text    string         `json:"text"`
	Version int            `json:"version"` // of all texts; 0 for the default ones
}

// headings are the topics as patients read them, with their place in the article.
var headings = map[practice.Topic]struct{ title, article string }{
	practice.Purposes:           {"What we use your data for", "15 (1) (a)"},
	practice.RetentionPeriod:    {"How long we keep your data", "15 (1) (d)"},
	practice.RightsOfPatients:   {"Your rights", "15 (1) (e)"},
	practice.Complaints:         {"Where you may complain", "15 (1) (f)"},
	practice.AutomatedDecisions: {"Automated decisions", "15 (1) (h)"},
	practice.Transfers:          {"Other countries", "15 (2)"},
}

// information yields the practice's text on each topic, in the order of the article.
func (w *writer) information() iter.Seq[informed] {
	return func(yield func(informed) bool) {
		for _, topic := range practice.Topics() {
			if h := headings[topic]; !yield(informed{topic, h.title, h.article, w.Texts.Text(topic), w.Texts.Version}) {
				return
			}
		}
	}
}

// letter writes the letter that goes with the pack, to be printed.
func (w *writer) letter() error { return w.render("letter.html", "letter.html") }

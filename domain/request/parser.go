package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// parser collects faults in the order in which fields are parsed, which is
// that of §7.1.
type parser struct{ faults fault.List }

func (p *parser) refuse(f *fault.Error) { p.faults = append(p.faults, f) }

func (p *parser) patient(value any) patient.ID {
	if value == nil || value == "" {
		p.refuse(ErrMissingPatientID)
		return patient.ID{}
	}
	id, ok := ParsePatientID(value)
	if !ok {
		p.refuse(ErrInvalidPatientID)
	}
	return id
}

// ParsePatientID is the patient that a JSON value names: a UUID of 36
// characters, in any case (D20).
func ParsePatientID(value any) (patient.ID, bool) {
	text, _ := value.(string)
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return patient.ID{}, false
	}
	return patient.ID{UUID: id}, true
}

func (p *parser) requestType(value any) Type {
	switch value {
	case string(Medical):
		return Medical
	case string(Admin):
		return Admin
	}
	p.refuse(ErrInvalidType)
	return ""
}

func (p *parser) requester(value any) Requester {
	switch value {
	case string(ByPatient):
		return ByPatient
	case string(ByProxy):
		return ByProxy
	}
	p.refuse(ErrInvalidRequester)
	return ""
}

// proxy checks the details whenever there are any, and keeps them only for a
// proxy (D20).
func (p *parser) proxy(requester, value any) *Proxy {
	if value == nil {
		if requester == string(ByProxy) {
			p.refuse(ErrMissingProxyDetails)
		}
		return nil
	}
	proxy := p.proxyDetails(value)
	if requester != string(ByProxy) {
		return nil
	}
	return &proxy
}

func (p *parser) proxyDetails(value any) Proxy {
	details, ok := value.(map[string]any)
	if !ok {
		p.refuse(ErrInvalidProxyDetails)
		return Proxy{}
	}
	text := func(field string) string {
		text, _ := details[field].(string)
		if strings.TrimSpace(text) == "" {
			p.refuse(ErrInvalidProxyDetails.With("proxyDetails.%s is missing or blank.", field))
		}
		return text
	}
	return Proxy{text("firstName"), text("lastName"), text("relationshipToPatient")}
}

// questions are the keys of §2.2.
var questions = map[Type][]string{
	Medical: {"healthConcern", "recentContact"},
	Admin:   {"requestDetails"},
}

func (p *parser) response(typ Type, value any) []Answer {
	items, _ := value.([]any)
	if len(items) == 0 {
		p.refuse(ErrEmptyResponse)
		return nil
	}
	answers := make([]Answer, len(items))
	for i, item := range items {
		answers[i] = p.answer(typ, placeOf("response", i), item.(map[string]any))
	}
	return answers
}

// answer does not judge the question of an unknown type: that fault follows
// from another (D2).
func (p *parser) answer(typ Type, place string, item map[string]any) Answer {
	question, ok := item["question"].(string)
	if !ok || typ != "" && !slices.Contains(questions[typ], question) {
		p.refuse(ErrInvalidQuestion.With("%s.question is none of: %s.", place, strings.Join(questionsFor(typ), ", ")))
	}
	return Answer{question, item["answer"].(string)}
}

func questionsFor(typ Type) []string {
	if typ == "" {
		return slices.Concat(questions[Medical], questions[Admin])
	}
	return questions[typ]
}

func placeOf(array string, i int) string { return fmt.Sprintf("%s[%d]", array, i) }

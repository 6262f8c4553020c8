package fhir

import (
	"slices"
	"strings"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
)

// operation is how AuditEvents and Provenances code an operation.
type operation struct {
	action string // referenceTo an AuditEvent: C, R, U, D or E
	code   string // referenceTo HL7's DataOperation; "" if nothing is changed
	words  string
}

var operations = map[catalogue.Operation]operation{
	catalogue.Create:  {"C", "CREATE", "create"},
	catalogue.Read:    {action: "R"},
	catalogue.Update:  {"U", "UPDATE", "revise"},
	catalogue.Nullify: {"U", "NULLIFY", "nullify"},
	catalogue.Delete:  {"D", "DELETE", "delete"},
	catalogue.Execute: {action: "E"},
}

// operationOf returns the operation of an event about a patient.
func operationOf(e event.Event) operation {
	return operations[catalogue.Find(e.EventName()).Operation]
}

// requestedBy returns the operation that a call of an endpoint requests, including a refused
// call. It is the zero operation for an endpoint that is no longer served.
func requestedBy(name application.EndpointName) operation {
	endpoint, _ := access.Find(name)
	return operations[endpoint.Operation]
}

// resources maps the noun of an event to the FHIR resource type of its stream. A request, a
// note and an authorisation could each be one of several.
var resources = map[string]string{"appointment": "Appointment", "consultation": "Encounter"}

// noun is the first part of an event's name.
func noun(name string) string {
	noun, _, _ := strings.Cut(name, ".")
	return noun
}

// names is the system of our names of events and endpoints, such as care-record.opened.v1.
// It never changes.
const names = "urn:uuid:ba673739-02bc-5735-ae01-2be1adcfb077"

const dicom = "http://dicom.nema.org/resources/ontology/DCM"

var (
	patientRecord = Coding{dicom, "110110", "Patient Record"}
	auditLogUsed  = Coding{dicom, "110101", "Audit Log Used"}
	activity      = Coding{dicom, "110100", "Application Activity"}
)

// purposes are the codes of HL7's PurposeOfUse, as R4 has them.
var purposes = strings.Fields(`
	HMARKT HOPERAT CAREMGT DONAT FRAUD GOV HACCRED HCOMPL HDECD HDIRECT HDM HLEGAL HOUTCOMS HPRGRP HQUALIMP HSYSADMIN
	LABELING METAMGT MEMADMIN MILCDM PATADMIN PATSFTY PERFMSR RECORDMGT SYSDEV HTEST TRAIN HPAYMT CLMATTCH COVAUTH
	COVERAGE ELIGDTRM ELIGVER ENROLLM MILDCRG REMITADV HRESCH BIORCH CLINTRCH CLINTRCHNPC CLINTRCHPC PRECLINTRCH
	DSRCH POARCH TRANSRCH PATRQT FAMRQT PWATRNY SUPNWK PUBHLTH DISASTER THREAT TREAT CLINTRL COC ETREAT BTG ERTREAT
	POPHLTH`)

// purpose returns the purpose that an application gave for a call: as a code if it is one,
// otherwise as text; nothing without a purpose.
func purpose(said string) []CodeableConcept {
	said = plain(said)
	switch {
	case said == "":
		return nil
	case slices.Contains(purposes, said):
		return []CodeableConcept{{Coding: []Coding{{System: "http://terminology.hl7.org/CodeSystem/v3-ActReason", Code: said}}}}
	}
	return []CodeableConcept{{Text: said}}
}

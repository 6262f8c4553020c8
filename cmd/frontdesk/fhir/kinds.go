package fhir

import (
	"slices"
	"strings"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// operation is what is done, as AuditEvents and as Provenances code it.
type operation struct {
	action string // of an AuditEvent: C, R, U, D or E
	code   string // of HL7's DataOperation; "" if nothing is changed
	words  string
}

var (
	create  = operation{"C", "CREATE", "create"}
	update  = operation{"U", "UPDATE", "revise"}
	nullify = operation{"U", "NULLIFY", "nullify"} // entered in error
	destroy = operation{"D", "DELETE", "delete"}
	read    = operation{action: "R"}
	execute = operation{action: "E"}
)

// events is what each event about a patient says was done.
var events = map[string]operation{
	"appointment.arrived.v1":               update,
	"appointment.attended.v1":              update,
	"appointment.booked.v1":                create,
	"appointment.call-in-removed.v1":       update,
	"appointment.called-in.v1":             update,
	"appointment.cancelled.v1":             update,
	"appointment.did-not-attend.v1":        update,
	"appointment.moved.v1":                 update,
	"attachment.opened.v1":                 read,
	"audit.queried.v1":                     read,
	"care-record.glass-broken.v1":          execute,
	"care-record.note-created.v1":          create,
	"care-record.note-entered-in-error.v1": nullify,
	"care-record.opened.v1":                read,
	"consultation.started.v1":              create,
	"patient-request.completed.v1":         update,
	"patient-request.entered-in-error.v1":  nullify,
	"patient-request.given.v1":             update,
	"patient-request.noted.v1":             update,
	"patient-request.opened.v1":            read,
	"patient-request.re-linked.v1":         update,
	"patient-request.reopened.v1":          update,
	"patient-request.submitted.v1":         create,
	"patient-request.taken.v1":             update,
	"patient-request.urgency-changed.v1":   update,
	"patient.details-changed.v1":           update,
	"patient.erased.v1":                    destroy,
	"patient.erasure-held.v1":              update,
	"patient.erasure-hold-lifted.v1":       update,
	"patient.erasure-requested.v1":         update,
	"patient.erasure-withdrawn.v1":         update,
	"patient.record-restricted.v1":         update,
	"patient.registered.v1":                create,
	"patient.restriction-lifted.v1":        update,
	"user-authorisation.granted.v1":        create,
	"user-authorisation.revoked.v1":        update,
}

// endpoints is what a call of each endpoint asks for, also when it is refused.
var endpoints = map[application.EndpointName]operation{
	access.Application:             read,
	access.BookAppointment:         create,
	access.CallInPatient:           update,
	access.ClearCallIn:             update,
	access.CreateNote:              create,
	access.CreatePatientRequest:    create,
	access.KeySet:                  execute,
	access.MarkDidNotAttend:        update,
	access.OpenCareRecord:          read,
	access.OwnCalls:                read,
	access.OwnDeliveries:           read,
	access.Ping:                    execute,
	access.RequestTypeAvailability: read,
	access.RetrieveCareRecord:      read,
	access.StartConsultation:       create,
	access.TestWebhook:             execute,
}

// resources are what the things with a history would be in FHIR, by the noun of their
// events. A request, a note and an authorisation could each be one of several.
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

// purpose returns what an application said that a call was for: the code that it is, or its
// words; nothing if it said nothing.
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

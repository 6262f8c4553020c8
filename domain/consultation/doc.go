// Package consultation holds the rule about a clinician's encounter with a
// patient.
//
// Rules
//  1. A consultation is started for a patient of the practice, with an
//     appointment of that patient or without one.
package consultation

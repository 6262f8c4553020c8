// Package patientindex finds patients by their names, dates of birth and NHS numbers. All of
// them are encrypted, so no table can be searched for them.
//
// The first search in a practice decrypts them, and they stay in memory until no search was
// made for a while. Each search brings them up to date with the log.
package patientindex

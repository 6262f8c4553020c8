// Package patientindex finds patients by their names and dates of birth. Both are
// encrypted, so no table can be searched for them.
//
// The first search in a practice decrypts its names, and they stay in memory until no
// search was made for a while. Each search brings them up to date with the log.
package patientindex

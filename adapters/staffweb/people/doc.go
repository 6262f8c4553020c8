// Package people serves the page on which managers manage the practice's staff.
//
//	people           the members of staff; POST searches, or changes one of them
//	people?member=   one member: reset and its request, reinvite, deactivate, reactivate, roles
//	people?invite    the form of an invitation
//	teams            the teams that requests are given to
//	teams?team=      one team, and teams?add a new one; POST to teams saves or removes it
//
// A change of a member needs recent reauthentication (D66). A form carries the state of the member on
// its page, and changes nothing if that has changed since.
package people

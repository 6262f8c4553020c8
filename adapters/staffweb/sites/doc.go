// Package sites serves the pages on which a manager says where the practice sees its
// patients.
//
//	sites         the sites and their rooms; POST adds a site
//	sites/{site}  one site; POST renames it and its rooms, and adds a room
//
// A form carries the names that its page has shown. Only what was changed in it is changed,
// so that two managers do not undo each other's changes.
package sites

// Package sites serves the pages on which managers edit the practice's sites and rooms.
//
//	sites         the sites and their rooms; POST adds a site
//	sites/{site}  one site; POST renames it and its rooms, and adds a room
//
// A form carries the names on its page. Only edited fields are saved, so that two
// managers do not undo each other's changes.
package sites

// Package displays has the pages about the screens in waiting rooms: where managers add and
// remove displays, and where a screen opens its link.
package displays

// Package displays has the pages about waiting room screens: where managers add and
// remove displays, and where a screen opens its link.
package displays

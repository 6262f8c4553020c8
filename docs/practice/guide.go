// Package practice holds the guide for the people of a practice, which the staff pages show.
package practice

import "embed"

// Guide is the guide, in Markdown.
//
//go:embed guide.md
var Guide string

// Pictures are the pictures of the guide: "inbox.png".
//
//go:embed *.png
var Pictures embed.FS

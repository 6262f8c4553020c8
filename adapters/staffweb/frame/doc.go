// Package frame is what all staff pages share, whatever they are about: who visits, which
// page is behind which address and who may come in, how a page is shown, and what people
// are told when something goes wrong. It knows no page by name, apart from the navigation.
//
//	site.go        what a page is served with; it routes, and bounds each visit
//	visit.go       one request for a page
//	route.go       paths, and the doors of their pages
//	screen.go      the door for the screens in waiting rooms
//	navigation.go  the sections of the practice, for whoever may use them
//	headers.go     what browsers are told not to do
//	render.go      pages within the frame; assets.go: the files that they share
//	patients.go    what patients are called, and that they were shown
//	apology.go     errors as pages
//	times.go       how times and waits are written; words.go: roles, and who did what
//
// A section of the pages is a package beside this one. It holds a [Site] and gives its
// routes.
package frame

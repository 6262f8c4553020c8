// Package pagekit has the shared parts of all staff pages: visits, routes and access
// checks, page layout and error pages. It names no page except in the navigation.
//
//	site.go        the dependencies of pages; routing, and the limits of each visit
//	visit.go       one request for a page
//	route.go       paths, and the access checks of their pages
//	screen.go      the access check of waiting room screens
//	navigation.go  the sections of the practice, by role
//	headers.go     the security headers
//	render.go      pages within the frame; assets.go: the files that they share
//	patients.go    patients' names, and the record that they were shown
//	apology.go     errors as pages
//	times.go       formats of times and waits; words.go: roles and actors
//
// A section of the pages is a package next to this one. It holds a [Site] and gives its
// routes.
package pagekit

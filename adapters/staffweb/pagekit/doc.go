// Package pagekit has the shared parts of all staff pages: requests, routes and access
// checks, page layout and error pages. It names no page except in the navigation.
//
//	site.go        the dependencies of pages; routing, limits, logs and metrics of each request
//	request.go     one request for a page: its session, form, cookies and answer
//	access.go      paths, and the access checks of their pages and screens
//	form.go        forms, their limits, fields and faults
//	headers.go     the security headers
//	layout.go      pages within the layout, and the navigation; assets.go: the files that they share
//	patients.go    patients' names, and the record that they were shown
//	error_page.go  errors as pages
//	times.go       formats of times and waits; words.go: roles and actors
//
// A section of the pages is a package next to this one. It holds a [Site] and gives its
// routes.
package pagekit

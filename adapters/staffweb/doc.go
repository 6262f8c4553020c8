// Package staffweb serves the pages that staff see in a browser, all below
// /{tenantId}/staff. pages.go combines their sections, each a package next to it, and each
// section lists its paths with the role that they need.
//
//	account         sign-in, the member's own account, and the link that opens one
//	authorisations  applications that act for the member of staff
//	people          the practice's staff
//	requests, patients, day, live, board, displays, opening, sites, applications, privacy
//	                the practice's work; see each package
//
// A page is a method of a section that returns an error. The package pagekit has the
// shared parts: requests, access checks, the page layout and error pages. Pages are
// html/template with one stylesheet. They work without scripts, by keyboard and with a
// screen reader.
//
// Trust: everything that a browser sends may be forged. A form counts only if it carries
// its session's token and comes from this site. The package signin authenticates staff.
package staffweb

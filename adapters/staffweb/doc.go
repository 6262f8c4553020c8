// Package staffweb serves the pages that staff see in a browser. There they sign in,
// authorise applications, and revoke that (§4.4, §5.4). They manage their own account,
// and managers those of the practice's staff. pages.go lists the pages of a practice,
// all below /{tenantId}/staff, each with its required role.
//
//	authorise?app=&redirect=   a GET asks and never approves; a POST approves or declines → 303 to the callback
//	sign-in, sign-out
//	link/{secret} → link       the holder of a link chooses a password, once
//	authorisations             authorisations that staff have granted; POST revokes one
//	account                    the member's name, password and sessions
//	people                     the practice's staff: invite, reset, roles, deactivate
//	requests                   patient requests; see the package requests
//
// A page is a method of [Pages], or of a section, that returns an error. The package
// pagekit has the shared parts: visits, access checks, the page layout and error pages.
// Each section of the practice's day is a package next to it; pages.go combines them.
// Pages are html/template with one stylesheet. They work without scripts, by keyboard
// and with a screen reader.
//
// Trust: everything that a browser sends may be forged. A callback is followed only if
// domain/application finds it registered. A form counts only if it carries its
// session's token and comes from this site. The package signin authenticates staff.
package staffweb

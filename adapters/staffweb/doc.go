// Package staffweb serves the pages that staff see in a browser. There they sign
// in, let an application act for them, and take that back (§4.4, §5.4). They look after
// their own account, and managers after those of the practice's people. pages.go lists
// the pages of a practice, all below /{tenantId}/staff, each with who may use it.
//
//	authorise?app=&redirect=   a GET asks and never approves; a POST approves or declines → 303 to the callback
//	sign-in, sign-out
//	link/{secret} → link       the holder of a link chooses a password, once
//	authorisations             what staff have given; POST takes one back
//	account                    who am I, my password, where I am signed in
//	people                     who works here: invite, reset, roles, deactivate
//	requests                   what patients ask of the practice; see the package requests
//
// A page is a method of [Pages], or of a section, that returns an error. What all pages
// share is in the package frame: visits, doors, the frame around a page, and what people
// are told about an error. Each section of the practice's day is a package beside it, which
// pages.go puts together. Pages are html/template with one stylesheet. They work without
// scripts, by keyboard and with a screen reader.
//
// Trust: whatever a browser sends may be forged. A callback is followed only
// after domain/application has found it registered. A form counts only if it
// carries its session's token and comes from this site. The package signin
// decides who is signed in.
package staffweb

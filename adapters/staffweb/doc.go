// Package staffweb serves the pages that staff see in a browser. There they sign
// in, let an application act for them, and take that back (§4.4, §5.4).
//
//	GET  /{tenantId}/staff/authorise?app=&redirect=   asks; a GET never approves
//	POST /{tenantId}/staff/authorise                  approve or decline → 303 to the callback
//	GET  /{tenantId}/staff/sign-in                    and POST
//	POST /{tenantId}/staff/sign-out
//	GET  /{tenantId}/staff/authorisations             what staff have given; POST takes one back
//
// A page is a method of [Pages] that returns an error. words.go decides what people
// are told about the error, and how applications, times and waits are written.
// Pages are html/template with one stylesheet. They work without scripts, by
// keyboard and with a screen reader.
//
// Trust: whatever a browser sends may be forged. A callback is followed only
// after domain/application has found it registered. A form counts only if it
// carries its session's token and comes from this site. The package signin
// decides who is signed in.
package staffweb

// Package staffweb is the pages that staff see in a browser: sign in, let an
// application act for them, and take that back (§4.4, §5.4).
//
//	GET  /{tenantId}/staff/authorise?app=&redirect=   asks; GET never approves (D25)
//	POST /{tenantId}/staff/authorise                  approve or decline → 303 to the callback
//	GET  /{tenantId}/staff/sign-in                    and POST
//	POST /{tenantId}/staff/sign-out
//	GET  /{tenantId}/staff/authorisations             what staff have given; POST takes one back
//
// A page is a method of [Pages] that returns an error; what people are told of
// an error is in apology.go. Pages are html/template with one stylesheet, and
// work without a script, by keyboard and with a screen reader.
//
// Trust: what comes from a browser is anybody's. A callback is followed only
// after domain/application found it registered; a form counts only with its
// session's token, and only from this site; who is signed in is signin's word.
package staffweb

// Package authorisations serves the pages on which members of staff let applications act
// for them, and stop that (§5.4).
//
//	authorise?app=&redirect=  a GET asks and never approves; a POST approves or declines → 303 to the callback
//	authorisations            the authorisations of the member, and for managers those of others; POST stops one
//
// A callback is followed only if domain/application finds it registered.
package authorisations

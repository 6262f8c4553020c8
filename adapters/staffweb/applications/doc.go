// Package applications serves the pages on which managers decide which applications may
// call for the practice (D89).
//
//	applications                those that are enabled, and those that could be
//	applications/{application}  what one may do, who has let it act for them, and how it
//	                            does; it is enabled or disabled here
//
// What follows from a decision stands on the page before the button. The page is about no
// patient: it counts calls and webhooks, and says whom they were for, and never about whom.
package applications

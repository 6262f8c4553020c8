// Package applications serves the pages on which managers enable applications for the
// practice (D89).
//
//	applications                the enabled ones, and the others
//	applications/{application}  one's rights, the members who have authorised it, and its
//	                            health; it is enabled or disabled here
//
// The page explains the effect of a decision above the button. It shows no patients: it
// counts calls and webhooks and names their users, never the patients.
package applications

// Package directory lists the practices, applications, authorisations and webhooks that are
// registered, and looks up names.
package directory

// Package overview serves the page on which managers see how much work waits (D156).
//
//	overview  the requests that wait, and the work of today: by type of request, hour and site
//
// It shows numbers, and no patient. Each type has a link that leads to pausing it.
package overview

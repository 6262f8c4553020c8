// Package overview serves the page on which managers see how much work waits (D156).
//
//	overview  what waits, and what came and was done today: by type of request, hour and site
//
// It shows numbers, and no patient. Beside the numbers of a type it leads to pausing that type.
package overview

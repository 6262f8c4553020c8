// Package board has the page for the screens in waiting rooms: who is called in at a site,
// and into which room. It is for the display's screen alone, needs nobody who is signed in,
// and says no more of anybody than the display is to show (D88).
package board

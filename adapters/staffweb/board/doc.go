// Package board has the page for waiting room screens: the call-ins at a site, with
// their rooms. Only the display's screen has access, without a session, and it shows no
// more about patients than the display is set to (D88).
package board

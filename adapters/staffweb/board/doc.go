// Package board has the page for waiting room screens: the call-ins at a site, with
// their rooms. Only the display's screen has access, without a session. It shows the
// part of patients' names to which the display is set (D88).
package board

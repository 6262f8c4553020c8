package staffweb

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
)

// askTheSender is the advice about a link that only its application can fix.
const askTheSender = "Go back to the application that sent you here and tell its makers what this page says."

// The apologies.
var (
	errIncomplete = pagekit.Sorry(http.StatusBadRequest, "This link is not complete",
		"The link has to name one application and one address to return to.", askTheSender)
	errUnknownApplication = pagekit.Sorry(http.StatusNotFound, "We do not know this application",
		"The link names an application that is not registered with this service.", askTheSender)
	errNotEnabled = pagekit.Sorry(http.StatusForbidden, "This application is not enabled at your practice",
		"Nobody here can let it act for them until a manager has enabled it.",
		"Ask a manager to enable the application, then try again.")
	errNotForUsers = pagekit.Sorry(http.StatusForbidden, "This application cannot act for staff",
		"It has not been given anything that it may do on behalf of a member of staff.", askTheSender)
	errUnknownCallback = pagekit.Sorry(http.StatusBadRequest, "We do not know where this link leads",
		"The address to return to is not one that is registered for the application. To keep you safe, we have not sent you there.", askTheSender)
	errLink = pagekit.Sorry(http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Ask your manager for a new one.")
	errOtherLink = pagekit.Sorry(http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open your own link again.")
	errNoMember = pagekit.Sorry(http.StatusNotFound, "There is nobody like this at the practice",
		"Nothing has been changed.", "Go back to People and look for them there.")
	errNotYours = pagekit.Sorry(http.StatusForbidden, "You cannot stop this authorisation",
		"It was given by somebody else. They can stop it, and so can a manager.", "")
	errNoPasskeysHere = pagekit.Sorry(http.StatusBadRequest, "Passkeys cannot be used at this address",
		"A passkey belongs to a name, and this address is not one that can have passkeys.", "Open these pages at the address that your practice uses.")
)

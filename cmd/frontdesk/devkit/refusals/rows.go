package refusals

import (
	"slices"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// rows is the table.
var rows = []row{
	{
		faults: unauthorised(), fix: fixOf, retry: AfterFix,
		happened: "The token, the application, its grants or its user's authorisation is refused; the description names the cause.",
		wanted:   "A fresh token that the application has signed, for a practice that has enabled it, an endpoint that is granted in the token's mode, and, on behalf of a user, a current authorisation.",
		do:       "Fix the problem named in the description. `frontdesk token explain` judges a token as the service does and gives details.",
	},
	{
		faults: scope(), fix: fixOf, retry: AfterFix,
		happened: "The user's authorisation is for another patient.",
		wanted:   "The patient of the user's patient-scoped authorisation, or a standing authorisation.",
		do:       "Call for that patient, or send the user through the authorisation page for a standing authorisation.",
	},
	{
		faults: faultsOf("invalid-request-body"), retry: AfterFix,
		happened: "The body is not a valid JSON object for this endpoint, has a string over 1 MiB (other than attachment data), or uses invalid chunked encoding.",
		wanted:   "One JSON object in UTF-8 with the members of the endpoint, each name once and in its exact case.",
		do:       "Generate the body with a JSON library. The description gives the byte offset or field at fault.",
	},
	{
		faults: faultsOf("invalid-idempotency-key"), retry: AfterFix,
		happened: "Idempotency-Key is empty, longer than 255 bytes, or given twice.",
		wanted:   "One `Idempotency-Key` header of 1 to 255 bytes, or none.",
		do:       "Send a fresh UUID for each thing that you want done once.",
	},
	{
		faults: faultsOf("malformed-request"), retry: AfterFix,
		happened: "The request is not valid HTTP/1.1, or its body length is ambiguous.",
		wanted:   "A request by HTTP/1.1 with one `Host`, and one `Content-Length` or `Transfer-Encoding: chunked`.",
		do:       "Use an HTTP library, and check any proxy between it and the service.",
	},
	{
		faults: faultsOf("missing-patient-id"), retry: AfterFix,
		happened: "patientId is missing.", wanted: "The patient's identifier in `patientId`.", do: "Add `patientId`.",
	},
	{
		faults: faultsOf("invalid-patient-id"), retry: AfterFix,
		happened: "patientId is not a valid UUID.", wanted: "A UUID of 36 characters, given once.",
		do: "Send the identifier exactly as you were given it, with its hyphens and nothing around it.",
	},
	{
		faults: fault.List{patient.ErrUnknown}, retry: AfterFix,
		happened: "The practice has no patient with this patientId.", wanted: "A patient of the practice whose host is called.",
		do: "Check the patient ID and the practice in the host name. Patients of other practices are not visible.",
	},
	{
		faults: fault.List{request.ErrInvalidType}, retry: AfterFix,
		happened: "requestType is neither medical nor admin.", wanted: "`medical` or `admin`, in lower case.", do: "Send one of the two.",
	},
	{
		faults: fault.List{request.ErrInvalidRequester}, retry: AfterFix,
		happened: "requester is neither patient nor proxy.", wanted: "`patient` or `proxy`, in lower case.", do: "Send one of the two.",
	},
	{
		faults: fault.List{request.ErrMissingProxyDetails}, retry: AfterFix,
		happened: "requester is proxy, and proxyDetails is missing.", wanted: "The proxy who asks for the patient, in `proxyDetails`.",
		do: "Add `proxyDetails`, or send `patient` as the requester.",
	},
	{
		faults: fault.List{request.ErrInvalidProxyDetails, request.ErrProxyDetail}, retry: AfterFix,
		happened: "proxyDetails lacks firstName, lastName or relationshipToPatient.", wanted: "An object with these three, none of them blank.",
		do: "Fill in the member that is named. Details are judged even if the patient asks: leave `proxyDetails` out then.",
	},
	{
		faults: fault.List{request.ErrTooManyAttachments}, retry: AfterFix,
		happened: "There are more than 5 attachments.", wanted: "At most 5 attachments.", do: "Send the other files in a second request.",
	},
	{
		faults: fault.List{
			request.ErrInvalidAttachmentContent, request.ErrEmptyAttachment,
			request.DataURL, request.Base64URL, request.BrokenLines, request.WrongPadding, request.OtherText,
		}, retry: AfterFix,
		happened: "An attachment's data is not valid base64.",
		wanted:   "The file as base64 of RFC 4648, section 4: in one line, with padding, and nothing around it.",
		do:       "Encode the file with the standard base64 of your language, and send nothing else.",
	},
	{
		faults: fault.List{request.ErrAttachmentTooLarge}, retry: AfterFix,
		happened: "An attachment exceeds 10 MB.", wanted: "Files of at most 10 MB (10,485,760 bytes), before they are encoded.", do: "Make the file smaller.",
	},
	{
		faults: fault.List{request.ErrUnsupportedFileType}, retry: AfterFix,
		happened: "An attachment is neither JPEG, PNG, DOC nor DOCX.", wanted: "One of the four media types, in lower case and without parameters.",
		do: "Send the media type of the file as one of those that the description lists.",
	},
	{
		faults: fault.List{request.ErrEmptyResponse}, retry: AfterFix,
		happened: "response is missing, or has no item.", wanted: "An array with an item for each question that was answered.", do: "Add an item.",
	},
	{
		faults: fault.List{request.ErrInvalidQuestion}, retry: AfterFix,
		happened: "A question is not one of the keys for the requestType.",
		wanted:   "`healthConcern` or `recentContact` for `medical`, `requestDetails` for `admin`.", do: "Send the key, not the question's words.",
	},
	{
		faults: fault.List{practice.ErrTypeDisabled}, retry: Never,
		happened: "The practice has this type switched off. Do not retry.", wanted: "A type of request that the practice takes.",
		do: "Offer another way. `request-type-availability` lists the types that a practice takes.",
	},
	{
		faults: fault.List{practice.ErrTypePaused, practice.WithOpening(practice.ErrTypePaused)}, retry: Later,
		happened: "The practice has paused this type. Retry later.", wanted: "A type of request that the practice takes at the moment.",
		do: "Keep the request and submit it later, or offer another way. `request-type-availability` gives the time.",
	},
	{
		faults: fault.List{practice.ErrTypeClosed, practice.WithOpening(practice.ErrTypeClosed)}, retry: Later,
		happened: "The practice is closed, or outside its hours for this type. Retry later.", wanted: "A time within the practice's hours for this type.",
		do: "Keep the request and submit it when the practice opens. `request-type-availability` gives the time.",
	},
	{
		faults: fault.List{request.ErrUnknown}, retry: AfterFix,
		happened: "The application has sent no such request, or may no longer see it.",
		wanted:   "A request that this application has sent to this practice, linked to the patient that it named.",
		do:       "Check the identifier. If it is right, stop asking: the practice has linked the request to another patient, marked it as entered in error or erased it.",
	},
	{
		faults: fault.List{record.ErrEmptyNote}, retry: AfterFix,
		happened: "note is missing or blank.", wanted: "The text of the note.", do: "Add `note`.",
	},
	{
		faults: faultsOf("missing-contact-detail"), retry: AfterFix,
		happened: "telephone, email or nhsNumber is missing.", wanted: "All three, each a text or null.",
		do: "Send each known detail, and null for each other one. The call replaces all three.",
	},
	{
		faults: fault.List{patient.ErrInvalidTelephone}, retry: AfterFix,
		happened: "telephone is not a telephone number.", wanted: "5 to 15 digits, spaces between them, and an optional + at the beginning.",
		do: "Send one number, without an extension or a remark.",
	},
	{
		faults: fault.List{patient.ErrInvalidEmail}, retry: AfterFix,
		happened: "email is not one email address.", wanted: "An address such as ann@example.org, in at most 254 characters.",
		do: "Send one address, without a name.",
	},
	{
		faults: fault.List{patient.ErrInvalidNHSNumber}, retry: AfterFix,
		happened: "nhsNumber is not an NHS number.", wanted: "10 digits, of which the last one is the check digit (modulus 11).",
		do: "Ask for the number again: a digit is wrong, or two were swapped.",
	},
	{
		faults: faultsOf("missing-appointment-id"), retry: AfterFix,
		happened: "appointmentId is missing.", wanted: "The appointment's identifier in `appointmentId`.", do: "Add `appointmentId`.",
	},
	{
		faults: faultsOf("invalid-appointment-id"), retry: AfterFix,
		happened: "appointmentId is not a valid UUID.", wanted: "A UUID of 36 characters.", do: "Send the identifier exactly as you were given it.",
	},
	{
		faults: fault.List{appointment.ErrUnknown, appointment.ErrCancelled, appointment.ErrOfAnother}, retry: AfterFix,
		happened: "The practice, or the patient that the call names, has no such appointment.", wanted: "A current appointment of this practice and patient.",
		do: "Check the identifier and the appointment's patient.",
	},
	{
		faults: fault.List{appointment.ErrTimeless}, retry: AfterFix,
		happened: "at is missing.", wanted: "When the appointment is, in `at`.", do: "Add `at`.",
	},
	{
		faults: fault.List{appointment.ErrInvalidTime}, retry: AfterFix,
		happened: "at is not an RFC 3339 instant.", wanted: "An instant such as 2026-03-02T12:00:00Z.", do: "Send date, time and offset.",
	},
	{
		faults: faultsOf("missing-site-id"), retry: AfterFix,
		happened: "siteId is missing.", wanted: "The site's identifier in `siteId`.", do: "Add `siteId`.",
	},
	{
		faults: faultsOf("invalid-site-id"), retry: AfterFix,
		happened: "siteId is not a valid UUID.", wanted: "A UUID of 36 characters.", do: "Send the identifier exactly as you were given it.",
	},
	{
		faults: fault.List{site.ErrUnknown}, retry: AfterFix,
		happened: "The practice has no such site.", wanted: "A site of this practice.", do: "Check the identifier.",
	},
	{
		faults: faultsOf("invalid-room-id"), retry: AfterFix,
		happened: "roomId is not a valid UUID.", wanted: "A UUID of 36 characters, or no `roomId`.", do: "Send the identifier exactly as you were given it.",
	},
	{
		faults: fault.List{site.ErrRoomUnknown}, retry: AfterFix,
		happened: "The appointment's site has no such room.", wanted: "A room of the appointment's site, or no `roomId`.", do: "Check the identifier.",
	},
	{
		faults: fault.List{application.ErrUnknownEvent}, retry: AfterFix,
		happened: "event is not a supported webhook event.", wanted: "One of the events that the description lists.",
		do: "Name one of them in `event`.",
	},
	{
		faults: fault.List{application.ErrWebhookNotRegistered}, retry: AfterFix,
		happened: "No URL is registered for webhooks of this event.", wanted: "A registered URL, which `GET application` lists.",
		do: "Have the operator register a URL, or name another event.",
	},
	{
		faults: faultsOf("invalid-query"), retry: AfterFix,
		happened: "A query parameter is invalid.", wanted: "Each parameter at most once, and in the form that the reference gives.",
		do: "Fix the parameter that the description names. A cursor is good for the application, the practice and the list that it was given for.",
	},
	{
		faults: faultsOf("not-found"), retry: AfterFix,
		happened: "There is nothing at this address.",
		wanted:   "`{base_url}/transactional-api/` and the name of an endpoint, without a slash at its end, at the host of a practice.",
		do:       "Compare the path and the host with the reference.",
	},
	{
		faults: faultsOf("no-checkpoint"), retry: Later,
		happened: "No checkpoint of the practice's log is signed yet.", wanted: "A log whose checkpoints the operator signs (`frontdesk sign`).",
		do: "Try again later. If it stays so, ask the operator of the service whether its logs are signed.",
	},
	{
		faults: faultsOf("method-not-allowed"), retry: AfterFix,
		happened: "This endpoint does not support this HTTP method.", wanted: "One of the methods in `Allow`.", do: "Use the method that the description names.",
	},
	{
		faults: faultsOf("request-timeout"), retry: Again,
		happened: "The body arrives too slowly, or takes more than 15 minutes.", wanted: "64 KiB every 10 seconds, and the whole body within 15 minutes.",
		do: "Send the call again over a better connection.",
	},
	{
		faults: fault.List{commands.ErrKeyReused}, retry: AfterFix,
		happened: "The Idempotency-Key was used for another body.", wanted: "The same body with the same key, byte for byte, for 24 hours.",
		do: "Send the same bytes again, or use a new key for a new call.",
	},
	{
		faults: fault.List{commands.ErrKeyTaken}, retry: Again,
		happened: "A call with this Idempotency-Key is still being answered.", wanted: "One call at a time with one key.",
		do: "Wait a second and make the call again: it gets the answer of the first.",
	},
	{
		faults: faultsOf("request-too-large"), retry: AfterFix,
		happened: "The body is larger than the service accepts.", wanted: "At most 100 MiB, and at most 4 MiB and 65,536 values besides the data of attachments.",
		do: "Send less at once.",
	},
	{
		faults: faultsOf("unsupported-media-type"), retry: AfterFix,
		happened: "The Content-Type is not JSON.", wanted: "`Content-Type: application/json`, or none.", do: "Set the header; many libraries send another one by default.",
	},
	{
		faults: append(faultsOf("rate-limited"), application.ErrTooSoon), retry: Later,
		happened: "The application calls too often, or has sent too much in a day.", wanted: "Fewer calls or bytes.",
		do: "Wait for the seconds in `Retry-After`, and spread your calls.",
	},
	{
		faults: faultsOf("headers-too-large"), retry: AfterFix,
		happened: "The first line and the headers have more than 32 KiB together.", wanted: "At most 32 KiB of first line and headers together.",
		do: "Send shorter headers: a token needs only a few hundred bytes.",
	},
	{
		faults: faultsOf("internal-error"), retry: Again,
		happened: "Something went wrong on our side.", wanted: "Nothing. This is our error.",
		do: "Quote the `X-Request-Id` of the answer when you report it.",
	},
	{
		faults:   slices.Concat(faultsOf("unavailable"), bearer.Crowded(), fault.List{postgres.ErrUnavailable, postgres.ErrSwept, postgres.ErrClock, proving.ErrBehind}),
		retry:    Again,
		happened: "The service cannot answer at the moment.", wanted: "A retry later. The service is overloaded or cannot reach its database.",
		do: "Try again after `Retry-After`, and wait longer each time.",
	},
}

// faultsOf returns the refusals of the API and of HTTP that have a code.
func faultsOf(code string) fault.List {
	return slices.DeleteFunc(httpapi.Refusals(), func(f *fault.Error) bool { return f.Code != code })
}

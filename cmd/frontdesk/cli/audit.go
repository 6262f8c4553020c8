package cli

// auditCmd is what auditors ask of the log and of the access record.
type auditCmd struct {
	Attachment  auditAttachmentCmd  `cmd:"" help:"Write a file that was sent with a patient request, after checking that it is what was sent."`
	Calls       auditCallsCmd       `cmd:"" help:"List calls of the API: who called what, for which patient, and how it was answered."`
	Deliveries  auditDeliveriesCmd  `cmd:"" help:"List webhooks: what was sent to whom, and how that went."`
	Explain     auditExplainCmd     `cmd:"" help:"Say whether a call was, or would have been, allowed, and which events made it so."`
	Export      auditExportCmd      `cmd:"" help:"Write the event log to a file, with a manifest to check it by."`
	Log         auditLogCmd         `cmd:"" help:"Print the event log: who did what, and when."`
	Rebuild     auditRebuildCmd     `cmd:"" help:"Make the read models anew out of the log, beside the live ones, and compare."`
	Replay      auditReplayCmd      `cmd:"" help:"Say who was allowed what, and what was open, at an instant of the past."`
	WhoAccessed auditWhoAccessedCmd `cmd:"" help:"List every event and every judged call about a patient."`
}

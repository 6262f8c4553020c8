package cli

// auditCmd is what auditors ask of the log and of the access record.
type auditCmd struct {
	Attachment auditAttachmentCmd `cmd:"" help:"Write a file that was sent with a patient request, after checking that it is what was sent."`
	Deliveries auditDeliveriesCmd `cmd:"" help:"List webhooks: what was sent to whom, and how that went."`
	Export     auditExportCmd     `cmd:"" help:"Write the event log to a file, with a manifest to check it by."`
	Log        auditLogCmd        `cmd:"" help:"Print the event log: who did what, and when."`
	Rebuild    auditRebuildCmd    `cmd:"" help:"Make the read models anew out of the log, beside the live ones, and compare."`
}

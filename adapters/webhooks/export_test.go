package webhooks

// What tests of the plan need to see.
const (
	ClaimBatch = claimBatch
	PlainPlan  = plainPlan
)

package webhooks

// For tests of the plan.
const (
	ClaimBatch = claimBatch
	PlainPlan  = plainPlan
)

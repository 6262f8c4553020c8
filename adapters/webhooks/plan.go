package webhooks

// plainPlan keeps the planner to walking indexes, for the rest of the
// transaction. What it knows of a queue is always out of date: it would read
// all that is kept for the sake of a few rows, fetch and sort a whole backlog
// for its first four, compile for 400 ms what runs in one, or plan for longer
// than it runs, again and again.
const plainPlan = `
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true),
	set_config('plan_cache_mode', 'force_generic_plan', true)`

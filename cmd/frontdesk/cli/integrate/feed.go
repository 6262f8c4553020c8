package integrate

// FeedCmd is what others have of the log, outside of the database.
type FeedCmd struct {
	Follow feedFollowCmd `cmd:"" help:"Print the events of the log as NATS has them, one JSON object a line, and go on."`
	Grant  feedGrantCmd  `cmd:"" help:"Let somebody follow the log, or one practice's part of it, by NATS."`
}

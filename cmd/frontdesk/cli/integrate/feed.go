package integrate

// FeedCmd holds the commands about the log outside of the database.
type FeedCmd struct {
	Follow feedFollowCmd `cmd:"" help:"Print the log's events from NATS." detail:"One JSON object a line. It prints new events as they come."`
	Grant  feedGrantCmd  `cmd:"" help:"Let a follower read the log from NATS." detail:"The whole log, or one practice's part of it."`
}

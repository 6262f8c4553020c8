package cli

// feedCmd is what others have of the log, outside of the database.
type feedCmd struct {
	Grant feedGrantCmd `cmd:"" help:"Let somebody follow the log, or one practice's part of it, by NATS."`
}

package postgres

import (
	"context"

	"frontdesk/projections"
)

// Bridging is [ForCallers] with another longest short outage.
var Bridging = bridging

// FormattedShape returns the schema of a database as migrations/shape.txt has it.
func FormattedShape(ctx context.Context, db projections.Querier) (string, error) {
	found, err := readShape(ctx, db)
	return found.format(), err
}

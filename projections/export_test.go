package projections

// What the tests of this package look at from outside.
const (
	ReceptionsOf        = receptionsOf
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser
)

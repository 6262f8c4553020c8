package projections

// What the tests of this package look at from outside.
const (
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser

	ReceptionsApplication = receptionsApplication
	ReceptionsUser        = receptionsUser
)

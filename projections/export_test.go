package projections

// Exports for the tests of this package.
const (
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser

	ReceptionsApplication = receptionsApplication
	ReceptionsUser        = receptionsUser
)

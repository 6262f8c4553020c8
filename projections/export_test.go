package projections

// What the tests of this package look at from outside.
const (
	AdmissionFor        = admissionFor
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser
)

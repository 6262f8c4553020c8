package projections

// What the tests of this package look at from outside.
const RightsOf = rightsOf

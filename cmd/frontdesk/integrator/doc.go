// Package integrator asks the service what an application may ask about itself:
// how it is set up, which of its keys are held, how its calls and webhooks went.
// The commands `frontdesk integrator …` and `frontdesk dev` use it.
//
// The forms are those of the API (adapters/httpapi/openapi.json). What the service
// answers null is the zero value here.
package integrator

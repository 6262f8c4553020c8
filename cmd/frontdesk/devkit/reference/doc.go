// Package reference makes the pages that show an integrator the API: a reference to try calls
// in, a catalogue of the events, a page for each code of a refusal, and a collection for
// Postman and Bruno. All of them come from the OpenAPI description. Next to them is the documentation of docs/, with a search.
//
//   - [Handler] serves them on a sandbox, where the reference mints its own tokens.
//   - [Write] writes them as files for any web server, or none: links are relative.
//   - [Collection] is only the collection.
//
// The service itself serves none of them (D98).
package reference

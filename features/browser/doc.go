// Package browser drives the staff pages of the real program in a real
// browser: headless Chromium, one for all tests, with a profile of its own for
// each. Its tests are called TestBrowser… ; there is nothing else in it.
//
// Every page that a test looks at is checked with axe-core (testdata/axe,
// MPL-2.0, used by tests alone). To see the pages as well:
//
//	go test ./features/browser -screenshots /tmp/pages
package browser

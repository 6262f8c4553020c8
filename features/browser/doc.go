// Package browser drives the staff pages of the real program in a real browser:
// headless Chromium, one for all tests, with a profile of its own for each. Its tests
// are called TestBrowser… ; the package has nothing else.
//
// Every page of a test is checked with axe-core (testdata/axe, MPL-2.0, used only by
// tests). To see the pages as well:
//
//	go test ./features/browser -screenshots /tmp/pages
package browser

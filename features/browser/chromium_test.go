package browser_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium is the one browser of all tests; it is closed when they are over.
var chromium = sync.OnceValues(startChromium)

var (
	closeMu sync.Mutex
	closers []func() // in the order in which they were opened
)

func TestMain(m *testing.M) {
	status := m.Run()
	closeMu.Lock()
	for i := len(closers) - 1; i >= 0; i-- {
		closers[i]()
	}
	os.Exit(status)
}

var errNoChromium = errors.New("the browser tests need Chromium: run `make deps`, or install chromium")

func startChromium() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errNoChromium
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // Chromium refuses to run as root otherwise
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"), // loopback only
		chromedp.WSURLReadTimeout(time.Minute),                                                        // a busy machine
	)
	allocator, freeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	closeMu.Lock()
	closers = append(closers, freeAllocator, closeBrowser)
	closeMu.Unlock()
	return browser, chromedp.Do(browser)
}

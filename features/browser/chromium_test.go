package browser_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium is the one browser of all tests; it is closed when they are over.
var chromium = sync.OnceValues(startChromium)

// opened is the browser, if a test has opened it.
var opened atomic.Pointer[context.Context]

const closeLimit = 10 * time.Second

func TestMain(m *testing.M) {
	status := m.Run()
	if browser := opened.Load(); browser != nil {
		ctx, cancel := context.WithTimeout(*browser, closeLimit)
		_ = chromedp.Cancel(ctx) // waits until it has ended, or kills it
		cancel()
	}
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

var errNoChromium = errors.New("the browser tests need Chromium: run `make deps`, or install chromium-headless-shell")

// The shell renders pages without a browser's own windows, which take half of the CPU.
var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

func startChromium() (context.Context, error) {
	path := ""
	for _, name := range names {
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
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("no-sandbox", os.Geteuid() == 0), // Chromium refuses to run as root otherwise
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"), // loopback only
		chromedp.WSURLReadTimeout(time.Minute),                                                        // a busy machine
	)
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...) // ends with the browser
	browser, _ := chromedp.NewContext(allocator)
	opened.Store(&browser)
	return browser, chromedp.Do(browser)
}

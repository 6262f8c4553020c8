//go:build walk

package docs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var updateDiagrams = flag.Bool("update-diagrams", false, "draw the diagrams of the documents again, in Chromium")

// drawing sets Mermaid up for SVG files that need no fonts and no HTML.
const drawing = `mermaid.initialize({startOnLoad: false, theme: "neutral", htmlLabels: false, fontFamily: "sans-serif", flowchart: {htmlLabels: false}})`

// Mermaid draws each diagram of the documents. With -update-diagrams, the site shows the results.
func TestWalkDiagramsAreDrawn(t *testing.T) { //nolint:paralleltest // it may write files that others read
	modules, err := mermaid()
	must(t, err)
	script, err := os.ReadFile(filepath.Join(modules, "node_modules", "mermaid", "dist", "mermaid.min.js"))
	must(t, err)
	allocator, end := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute), chromedp.ExecPath("chromium-headless-shell"))...)
	defer end()
	ctx, stop := chromedp.NewContext(allocator)
	defer stop()
	must(t, chromedp.Do(ctx, chromedp.Navigate("about:blank"), chromedp.Evaluate[chromedp.Void](string(script)+";"+drawing)))
	if *updateDiagrams {
		old, err := filepath.Glob(drawnFolder + "/*")
		must(t, err)
		for _, file := range old {
			must(t, os.Remove(file))
		}
	}
	for n, d := range allDiagrams(t) {
		source, err := json.Marshal(d.source)
		must(t, err)
		await := func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }
		drawn, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`mermaid.render("d%d", %s).then(d => d.svg)`, n, source), await))
		must(t, err)
		if !strings.HasPrefix(drawn, "<svg") || strings.Contains(drawn, "Syntax error") {
			t.Errorf("%s: Mermaid drew %.200s", d.page, drawn)
		}
		if *updateDiagrams {
			must(t, os.WriteFile(d.file(), []byte(d.mark()+drawn+"\n"), 0o644))
		}
	}
}

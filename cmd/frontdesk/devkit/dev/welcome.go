package dev

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

const welcomeText = `
frontdesk dev is ready.

  page          %[1]s
  API           %[2]s   (practice %[3]q)
  application   %[4]s   (%[5]q)
  private key   %[6]s   (kid %[7]s)
  webhooks      received at %[8]s, verified, %[9]s
  staff pages   %[15]s   (usernames and passwords: "people" in %[16]s)
  everything else your code needs is in %[10]s

Make a call from another terminal, in this directory:

  curl -sS %[2]s/ping -H "$(%[11]s token mint --curl)"

--sub %[12]s makes it one for that member of staff. Make a webhook come:
press a button of the page. Webhooks and errors are logged below.

Ctrl-C stops this; the sandbox in %[13]s %[14]s.

`

// welcome prints what runs and the next steps. It reports whether it did, which needs a
// sandbox that knows the application.
func (d *dev) welcome(ctx context.Context) bool {
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.member == nil {
		return false
	}
	r := d.running()
	self, err := os.Executable()
	if err != nil {
		self = "frontdesk"
	}
	forwarded, afterwards := "not forwarded (--forward-to URL does that)", "goes on"
	if r.Webhooks.ForwardTo != "" {
		forwarded = "and forwarded to " + r.Webhooks.ForwardTo
	}
	if d.proc.own {
		afterwards = "stops, too"
	}
	fmt.Fprintf(d.config.Out, welcomeText, r.PageURL, d.member.info.APIURL+"/transactional-api", r.TenantID, r.Application.ID, r.Application.Name,
		r.Application.PrivateKeyFile, r.Application.KID, r.Webhooks.URL, forwarded, d.dir.file(runningName), self,
		r.Application.Username, r.SandboxDir, afterwards, d.member.info.PagesURL(), sandbox.InfoFile(r.SandboxDir))
	if d.config.Open {
		if err := browse(ctx, d.site.URLOnce(rand.Text())); err != nil {
			d.log.error("The page was not opened: %v.", err)
		}
	}
	return true
}

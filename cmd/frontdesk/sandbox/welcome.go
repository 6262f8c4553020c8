package sandbox

import (
	"fmt"
	"io"
	"os"
)

// welcome says what runs and how to make the first call. A token lives for 60
// seconds, so the line mints it.
func welcome(w io.Writer, dir string, info Info) {
	self, err := os.Executable()
	if err != nil {
		self = "frontdesk"
	}
	fmt.Fprintf(w, `
frontdesk is ready.

  API        %[1]s/transactional-api/   (practice %[2]q)
  metrics    %[3]s/metrics
  everything else a client needs is in %[4]s

Make the first call from another terminal:

  curl -sS %[1]s/transactional-api/create-patient-request \
    -H "$(%[5]s token mint --dir %[6]s --curl)" -H 'Content-Type: application/json' \
    -d '{"patientId":"%[7]s","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough that will not go away"}]}'

Let the application act for a member of staff: open

  %[9]s

and sign in as %[10]s with the password %[11]s. Afterwards it calls in
their name and shows what it was answered.

Watch a webhook arrive, verified, a moment after a patient's record is opened:

  tail -n 0 -F %[12]s &
  %[5]s webhook trigger record.opened --dir %[6]s

See who did what:

  %[5]s audit log --database-url '%[8]s'

Ctrl-C stops all of it; the data stays in %[6]s.
`, info.APIURL, info.TenantID, info.PrivateURL, infoFile(dir), self, dir, info.Patients[0].ID, info.DatabaseURL,
		info.AuthoriseURL(), info.Staff.Username, info.Staff.Password, info.WebhookReceiver.Log)
}

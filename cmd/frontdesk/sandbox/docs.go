package sandbox

import (
	"slices"

	"frontdesk/cmd/frontdesk/reference"
)

// showDocs lets the reference show this sandbox: its application, and people of its practice.
func (i *instance) showDocs(info Info) error {
	var users []string
	for _, person := range info.People {
		users = append(users, person.Username)
	}
	return i.docs.Show(reference.Sandbox{
		URL: info.APIURL, Users: users, IDs: info.tryable(),
		Mint: func(username string) (string, error) { return i.keys.mint(info, username) },
	})
}

// tryable are an appointment's patient, site and one of its rooms, so that every call
// fits to the others.
func (i Info) tryable() reference.IDs {
	booked := i.Appointments[0]
	room := slices.IndexFunc(i.Rooms, func(r Room) bool { return r.SiteID == booked.SiteID })
	return reference.IDs{
		Patient: booked.PatientID.String(), Site: booked.SiteID.String(), Room: i.Rooms[max(room, 0)].ID.String(),
		Appointment: booked.ID.String(),
	}
}

//go:build prove

package main_test

var logDrills = []drill{
	{
		name: "a session holds the sequencer's row, at one call a second", fires: []string{"SequencerLags"}, slow: true, goesOn: true,
		wrong: func(d *drilled) { d.release = d.holds(`SELECT FROM sequencer FOR UPDATE`) },
		right: func(d *drilled) { d.release() },
	},
	{
		name: "a consumer of the log fails", fires: []string{"ConsumerLags", "ConsumerStopped"}, goesOn: true,
		wrong: func(d *drilled) { d.ask(`REVOKE INSERT, UPDATE ON inbox FROM frontdesk_app`) },
		right: func(d *drilled) { d.ask(`GRANT INSERT, UPDATE ON inbox TO frontdesk_app`) },
	},
}

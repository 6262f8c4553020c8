package event_test

import (
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
)

// A decision reads the state after a history. It returns the following events, or none
// if nothing changes.
func ExampleFold() {
	app := application.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")}
	enablement := event.Fold[practice.Enablement](
		practice.ApplicationEnabled{Application: app},
		practice.ApplicationDisabled{Application: app},
		practice.ApplicationEnabled{Application: app},
	)

	events, err := enablement.Enable(app)
	fmt.Println("enable:", len(events), err)
	events, err = enablement.Disable(app)
	fmt.Println("disable:", events[0].EventName(), err)
	// Output:
	// enable: 0 <nil>
	// disable: practice.application-disabled.v1 <nil>
}

// Events are stored under a permanent name, as JSON.
func ExampleCodec() {
	codec, err := event.NewCodec(practice.Events()...)
	if err != nil {
		fmt.Println(err) // two events have the same name
		return
	}
	name, data, err := codec.Encode(practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"})
	fmt.Println(name, string(data), err)
	happened, err := codec.Decode(name, data)
	fmt.Printf("%+v %v\n", happened, err)
	_, err = codec.Decode("practice.moved.v1", []byte(`{}`))
	fmt.Println(err)
	// Output:
	// practice.registered.v1 {"name":"Elm Street","timeZone":"Europe/London"} <nil>
	// {Name:Elm Street TimeZone:Europe/London} <nil>
	// unknown event name "practice.moved.v1"
}

// Fields that are tagged as personal are hidden from auditors unless they request them.
func ExampleRedacted() {
	id := uuid.MustParse("01980000-0000-7000-8000-00000000000a")
	data, err := event.Redacted(record.NoteCreated{Note: record.NoteID{UUID: id}, Patient: patient.ID{UUID: id}, Text: "a cough"})
	fmt.Println(string(data), err)
	// Output:
	// {"note":"01980000-0000-7000-8000-00000000000a","patient":"01980000-0000-7000-8000-00000000000a","text":"[personal]"} <nil>
}

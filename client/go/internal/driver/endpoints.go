package main

import (
	"context"
	"iter"

	"frontdesk.example/client"
)

type named struct {
	PatientID     string `json:"patientId"`
	AppointmentID string `json:"appointmentId"`
	Event         string `json:"event"`
}

var endpoints = map[string]func(context.Context, *client.Client, order) (any, error){
	"create-patient-request": func(ctx context.Context, c *client.Client, o order) (any, error) {
		r, err := read[client.PatientRequest](o)
		for _, path := range o.Files {
			file, errFile := client.AttachFile(path)
			if errFile != nil {
				return nil, errFile
			}
			r.Attachments = append(r.Attachments, file)
		}
		if err != nil {
			return nil, err
		}
		return c.CreatePatientRequest(ctx, r)
	},
	"request-type-availability": func(ctx context.Context, c *client.Client, _ order) (any, error) {
		return c.RequestTypeAvailability(ctx)
	},
	"create-note":               taking((*client.Client).CreateNote),
	"book-appointment":          taking((*client.Client).BookAppointment),
	"call-in-patient":           taking((*client.Client).CallInPatient),
	"start-consultation":        taking((*client.Client).StartConsultation),
	"retrieve-care-record":      naming((*client.Client).RetrieveCareRecord, func(n named) string { return n.PatientID }),
	"open-care-record":          naming((*client.Client).OpenCareRecord, func(n named) string { return n.PatientID }),
	"clear-call-in":             naming((*client.Client).ClearCallIn, func(n named) string { return n.AppointmentID }),
	"mark-did-not-attend":       naming((*client.Client).MarkDidNotAttend, func(n named) string { return n.AppointmentID }),
	"application/webhooks/test": naming((*client.Client).TestWebhook, func(n named) string { return n.Event }),
	"ping":                      asking((*client.Client).Ping),
	"application":               asking((*client.Client).Application),
	"application/key-set":       asking((*client.Client).KeySet),
	"reread-key-set":            asking((*client.Client).RereadKeySet),
	"application/calls": func(ctx context.Context, c *client.Client, o order) (any, error) {
		q, err := read[client.CallsQuery](o)
		if err != nil {
			return nil, err
		}
		return some(c.Calls(ctx, q))
	},
	"application/deliveries": func(ctx context.Context, c *client.Client, o order) (any, error) {
		q, err := read[client.DeliveriesQuery](o)
		if err != nil {
			return nil, err
		}
		return some(c.Deliveries(ctx, q))
	},
}

func taking[In, Out any](work func(*client.Client, context.Context, In) (Out, error)) func(context.Context, *client.Client, order) (any, error) {
	return func(ctx context.Context, c *client.Client, o order) (any, error) {
		input, err := read[In](o)
		if err != nil {
			return nil, err
		}
		return work(c, ctx, input)
	}
}

func naming[Out any](work func(*client.Client, context.Context, string) (Out, error), which func(named) string) func(context.Context, *client.Client, order) (any, error) {
	return func(ctx context.Context, c *client.Client, o order) (any, error) {
		input, err := read[named](o)
		if err != nil {
			return nil, err
		}
		return work(c, ctx, which(input))
	}
}

func asking[Out any](work func(*client.Client, context.Context) (Out, error)) func(context.Context, *client.Client, order) (any, error) {
	return func(ctx context.Context, c *client.Client, _ order) (any, error) { return work(c, ctx) }
}

// some are the first five.
func some[T any](all iter.Seq2[T, error]) (list []T, err error) {
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		if list = append(list, one); len(list) == 5 {
			break
		}
	}
	return list, nil
}

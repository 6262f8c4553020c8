package main

import (
	"context"
	"iter"

	"frontdesk.example/client"
)

type named struct {
	PatientID        string `json:"patientId"`
	PatientRequestID string `json:"patientRequestId"`
	AppointmentID    string `json:"appointmentId"`
	Event            string `json:"event"`
}

// An endpoint makes the call of an order.
type endpoint = func(context.Context, *client.Client, order, ...client.CallOption) (any, error)

var endpoints = map[string]endpoint{
	"create-patient-request": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
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
		return c.CreatePatientRequest(ctx, r, options...)
	},
	"request-type-availability": func(ctx context.Context, c *client.Client, _ order, options ...client.CallOption) (any, error) {
		return c.RequestTypeAvailability(ctx, options...)
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
	"request-outcome":           naming((*client.Client).RequestOutcome, func(n named) string { return n.PatientRequestID }),
	"set-contact-details":       taking((*client.Client).SetContactDetails),
	"called-in": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		q, err := read[struct{ SiteID string }](o)
		if err != nil {
			return nil, err
		}
		return c.CalledIn(ctx, q.SiteID, options...)
	},
	"sites":               asking((*client.Client).Sites),
	"ping":                asking((*client.Client).Ping),
	"application":         asking((*client.Client).Application),
	"application/key-set": asking((*client.Client).KeySet),
	"reread-key-set":      asking((*client.Client).RereadKeySet),
	"application/checkpoint": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		q, err := read[struct{ From *int64 }](o)
		if err != nil {
			return nil, err
		}
		if q.From == nil {
			return c.Checkpoint(ctx, options...)
		}
		return c.CheckpointSince(ctx, *q.From, options...)
	},
	"keep-checkpoint": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		q, err := read[struct{ Key, File string }](o)
		if err != nil {
			return nil, err
		}
		log, err := client.NewLogVerifier(q.Key)
		if err != nil {
			return nil, err
		}
		kept, err := c.KeepCheckpoint(ctx, log, client.CheckpointFile(q.File), options...)
		return map[string]int64{"size": kept.Size}, err
	},
	"application/calls": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		q, err := read[client.CallsQuery](o)
		if err != nil {
			return nil, err
		}
		return some(c.Calls(ctx, q, options...))
	},
	"application/deliveries": func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		q, err := read[client.DeliveriesQuery](o)
		if err != nil {
			return nil, err
		}
		return some(c.Deliveries(ctx, q, options...))
	},
}

func taking[In, Out any](work func(*client.Client, context.Context, In, ...client.CallOption) (Out, error)) endpoint {
	return func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		input, err := read[In](o)
		if err != nil {
			return nil, err
		}
		return work(c, ctx, input, options...)
	}
}

func naming[Out any](work func(*client.Client, context.Context, string, ...client.CallOption) (Out, error), which func(named) string) endpoint {
	return func(ctx context.Context, c *client.Client, o order, options ...client.CallOption) (any, error) {
		input, err := read[named](o)
		if err != nil {
			return nil, err
		}
		return work(c, ctx, which(input), options...)
	}
}

func asking[Out any](work func(*client.Client, context.Context, ...client.CallOption) (Out, error)) endpoint {
	return func(ctx context.Context, c *client.Client, _ order, options ...client.CallOption) (any, error) {
		return work(c, ctx, options...)
	}
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

package accesslog

import (
	"context"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// sealActs returns the act claims of calls as they are written, and the boxes of the values
// removed from them.
func (r *Recorder) sealActs(ctx context.Context, calls []access.Call) (acts []*event.OnBehalfOf, boxes [][]byte, err error) {
	acts, boxes = make([]*event.OnBehalfOf, len(calls)), make([][]byte, len(calls))
	var named []keyring.Other
	var indexes []int // of the calls
	for n, c := range calls {
		if acts[n] = c.Act; c.Act == nil {
			continue
		}
		act, practitioner := c.Act.Split()
		if acts[n] = &act; len(practitioner.Values) > 0 {
			named, indexes = append(named, keyring.Other{Personal: practitioner, Tenant: c.Tenant, Place: placeOf(c.RequestID)}), append(indexes, n)
		}
	}
	if len(named) == 0 {
		return acts, boxes, nil
	}
	if err := r.Keys.SealOthers(ctx, named); err != nil {
		return nil, nil, err
	}
	for i, n := range indexes {
		if boxes[n] = named[i].Box; named[i].Erased {
			*acts[n], err = acts[n].Join(event.Personal{Erased: true})
		}
	}
	return acts, boxes, err
}

// placeOf returns the place that the box of a call is bound to.
func placeOf(requestID uuid.UUID) string { return "call " + requestID.String() }

// SealedIn returns the boxes of a line of the access record.
func SealedIn(r Row) keyring.Sealed {
	return keyring.SealedAt(r.Leaf.Idx, r.Leaf.Tenant, placeOf(r.Leaf.RequestID), r.Sealed)
}

// openActs puts the practitioners into the act claims of calls, from their boxes.
func openActs(ctx context.Context, k *keyring.Keyring, calls []access.Call, boxes [][]byte) (err error) {
	var named []keyring.Other
	var indexes []int // of the calls
	for n, box := range boxes {
		if box != nil && calls[n].Act != nil {
			named, indexes = append(named, keyring.Other{Tenant: calls[n].Tenant, Place: placeOf(calls[n].RequestID), Box: box}), append(indexes, n)
		}
	}
	if err := k.OpenOthers(ctx, named); err != nil {
		return err
	}
	for i, n := range indexes {
		if len(named[i].Values) == 0 && !named[i].Erased { // without a master key
			continue
		}
		if *calls[n].Act, err = calls[n].Act.Join(named[i].Personal); err != nil {
			return err
		}
	}
	return nil
}

package sandbox

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

const (
	newRequests  = 71 // the fixtures are some of them
	heldRequests = 24
	doneRequests = 260
	pace         = 5 * time.Minute // acts happen at whole steps of it
)

// wishes are the texts of requests, the awkward ones first.
var wishes = []struct {
	of   request.Type
	text string
}{
	{request.Medical, "<h1>Urgent</h1><script>alert('text')</script> My knee is swollen & it hurts when I climb stairs; pain > 5/10."},
	{request.Medical, "أعاني من صداع منذ ثلاثة أيام، والدواء لا يساعدني. هل يمكنني التحدث مع الطبيب؟"},
	{request.Medical, "我咳嗽已经两个星期了，晚上更严重。需要预约吗？"},
	{request.Admin, "יש לי שאלה לגבי המרשם שלי (Metformin 500 mg) — אפשר לקבל אותו לחודשיים?"},
	{request.Medical, "🤒🤧 3 days of fever 🌡️ 38.5, and a rash on both arms 🙏🏽"},
	{request.Medical, "Pneumonoultramicroscopicsilicovolcanoconiosis" + strings.Repeat("is", 150)},
	{request.Medical, strings.Repeat("It began after the holiday. First it was only the left hand, then both, and in the mornings I cannot close them. My mother had the same at my age. ", 30)},
	{request.Admin, "?"},
	{request.Medical, "o'clock pain: every day at 4 o'clock I can't see well for ten minutes, it's like looking through water."},
	{request.Admin, "Line one\n\n\n\nLine five, with\ttabs   and   spaces"},
	{request.Medical, "My back has hurt since Monday, and nothing helps."},
	{request.Medical, "The rash came back after the cream ran out. It itches at night."},
	{request.Medical, "I have felt dizzy when I get up since the new blood pressure tablets."},
	{request.Admin, "Please send my vaccination record to my new employer."},
	{request.Medical, "My son has had an ear ache since yesterday evening and a temperature of 38.2."},
	{request.Admin, "I need a sick note for last week, from Tuesday to Friday."},
	{request.Medical, "I would like to talk about my sleep. I wake at three every night."},
	{request.Medical, "Burning when I pass water, for two days now."},
	{request.Admin, "Could my prescriptions go to the pharmacy in Mill Lane from now on?"},
	{request.Medical, "My asthma is worse with the cold weather. I use the blue inhaler four times a day."},
	{request.Admin, "I have moved house. My new address is 3 Quarry Steps."},
	{request.Medical, "A mole on my shoulder has changed its colour. I have sent a picture."},
	{request.Medical, "Chest feels tight when I walk up the hill, and goes away when I rest."},
	{request.Admin, "May I have a letter for the gym, please? They ask for it after an operation."},
}

// carers send requests for others.
var carers = [][3]string{
	{"Halima", "Hassan", "mother"}, {"Seán", "O’Dowd", "husband"}, {"<i>Kit</i>", "D'Souza", "carer"},
	{"Bartholomew", "Featherstone-Haugh-Cholmondeley", "power of attorney for health and welfare"},
}

// letter is a request of a busy practice and its later events.
type letter struct {
	from     int // of the regulars
	fields   map[string]any
	received time.Time
	held     bool
	done     time.Time // zero unless it is completed
}

// letters makes up the requests up to now. The newest of them are still new.
func letters(chance *rand.Rand, now time.Time) (all []letter) {
	fresh := newRequests - len(fixtures())
	for n := range fresh + heldRequests + doneRequests {
		l := letter{from: chance.IntN(regulars), fields: fieldsOf(chance, n)}
		if n < len(awkwardNames) {
			l.from = n
		}
		switch part := chance.Float64(); {
		case n < fresh: // most are of today, and some have waited for days
			l.received = now.Add(-time.Duration(part * part * part * part * float64(busyPast-24*time.Hour)))
		case n < fresh+heldRequests:
			l.received, l.held = now.Add(-3*time.Hour-time.Duration(part*part*float64(72*time.Hour))), true
		default:
			l.received = now.Add(-24*time.Hour - time.Duration(part*float64(busyPast-48*time.Hour)))
			l.held, l.done = true, l.received.Add(time.Hour+time.Duration(chance.Float64()*float64(20*time.Hour)))
		}
		l.received = l.received.Add(-2 * pace).Truncate(pace)
		l.done = l.done.Truncate(pace)
		all = append(all, l)
	}
	return all
}

func fieldsOf(chance *rand.Rand, n int) map[string]any {
	wish := wishes[n%len(wishes)]
	if n >= 3*len(wishes) {
		wish = wishes[10+chance.IntN(len(wishes)-10)] // the awkward ones are rare
	}
	question := "healthConcern"
	if wish.of == request.Admin {
		question = "requestDetails"
	}
	fields := map[string]any{
		"requestType": string(wish.of), "requester": string(request.ByPatient), "response": answers(question, wish.text),
		"isHighPriority": n%9 == 4,
	}
	if n%7 == 3 {
		carer := carers[n/7%len(carers)]
		fields["requester"], fields["proxyDetails"] = string(request.ByProxy), proxy(carer[0], carer[1], carer[2])
	}
	switch {
	case n < 60 && n%12 == 9:
		fields["attachments"] = []map[string]string{attached("a picture of it's place & <size>.jpg", "image/jpeg", photograph()), attached("صورة.png", "image/png", drawing())}
	case n < 60 && n%12 == 1:
		fields["attachments"] = []map[string]string{attached("IMG_20260301_"+strings.Repeat("0123456789", 8)+".jpg", "image/jpeg", photograph())}
	}
	return fields
}

// correspond plans all requests, as the application sends them and staff handle them.
func (b *busy) correspond(p *plan) {
	for n, l := range letters(b.chance, b.now) {
		var id request.ID
		p.add(l.received, func(ctx context.Context) (err error) {
			caller := event.Application(b.seed.Application.UUID, string(application.ApplicationRestricted), nil)
			id, err = b.send(event.WithMetadata(ctx, event.Metadata{Actor: caller}), b.seed.Regulars[l.from], l.fields)
			return err
		})
		if !l.held {
			continue
		}
		by := b.receptionists[n%len(b.receptionists)]
		p.add(l.received.Add(2*pace), as(by, func(ctx context.Context) error {
			return b.desk.TakePatientRequest(ctx, commands.TakePatientRequest{Tenant: tenant, Request: id, By: by})
		}))
		switch {
		case !l.done.IsZero():
			p.add(l.done, as(by, b.complete(&id, by, request.Outcomes()[n%len(request.Outcomes())])))
		case n%2 == 0:
			to := b.clinicians[n/2%len(b.clinicians)]
			p.add(l.received.Add(4*pace), as(by, func(ctx context.Context) error {
				return b.desk.GivePatientRequest(ctx, commands.GivePatientRequest{Tenant: tenant, Request: id, From: request.Holder{Member: by}, To: request.Holder{Member: to}})
			}))
		case n%3 == 0:
			p.add(l.received.Add(4*pace), as(by, func(ctx context.Context) error {
				return b.desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: tenant, Request: id, Text: "Rang twice, no answer. Will try again at 4 o'clock <after school>."})
			}))
		}
	}
}

func (b *busy) complete(id *request.ID, by staff.ID, outcome request.Outcome) func(context.Context) error {
	return func(ctx context.Context) error {
		return b.desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{
			Tenant: tenant, Request: *id, By: by,
			Completion: request.Completion{Outcome: outcome, Note: "Spoke to them on the telephone."},
		})
	}
}

// as makes a member of staff the actor.
func as(member staff.ID, do func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		return do(event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(member.UUID)}))
	}
}

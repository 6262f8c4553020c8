package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

const (
	crowdSize = 4000
	namesakes = 8   // patients called Margaret Green
	regulars  = 400 // patients who have appointments and write requests
)

// newcomers work at a busy practice in addition to the colleagues.
func newcomers() []Staff {
	return []Staff{
		{Username: "nell.ashby", Name: "Nell Ashby", Role: staff.Manager, OtherRole: staff.Receptionist},
		{Username: "siobhan.ohare", Name: "Siobhán O’Hare", Role: staff.Receptionist},
		{Username: "kit.marsh", Name: "Kit Marsh", Role: staff.Receptionist},
		{Username: "wen.li", Name: "李 Wen", Role: staff.Receptionist},
		{Username: "bart.f-c", Name: "Bartholomew Featherstone-Cholmeley", Role: staff.Receptionist, OtherRole: staff.PrivacyOfficer},
		{Username: "maryam.aziz", Name: "Dr Maryam Aziz", Role: staff.Clinician},
		{Username: "owen.pugh", Name: "Dr Owen Pugh", Role: staff.Clinician, OtherRole: staff.Manager},
		{Username: "beth.lindqvist", Name: "Nurse Beth Lindqvist", Role: staff.Clinician},
	}
}

// awkwardNames are ones that pages and searches get wrong.
var awkwardNames = []string{
	"Aoife O’Neill", "Sean O'Neill", "D'Arcy O'Shaughnessy-O'Brien", "Anne-Marie Featherstone-Haugh-Cholmondeley", "علي حسن", "שרה כהן",
	"王小明", "李", "O", "X Æ", "Zoë Zażółć-Gęślą", "Đặng Thị Ánh Nguyệt", "<b>Bold</b> Brown", "<script>alert('name')</script>", "Robert'); DROP TABLE patients;--",
	"😀 Smiley", "Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu Jones", "van der Berg, Jan", "Mac Giolla Phádraig Ó Súilleabháin",
	"null", "Test & Sons", "\"Quote\" Quentin", "İlknur Işık", "Straße Weiß", "Ana Sofía Inés Eulalia de las Mercedes Guadalupe Montserrat Fernández-Villaverde y Ortiz de Urbina",
}

var (
	givenNames = []string{
		"Ada", "Ben", "Carys", "Dev", "Edith", "Farah", "Gethin", "Hana", "Ivo", "Jasmin", "Keir", "Lotte", "Mohammed", "Niamh", "Oskar", "Parveen", "Quincy", "Rosa", "Stan", "Tamsin",
		"Una", "Viktor", "Winifred", "Xanthe", "Yusuf", "Zainab", "Alasdair", "Blessing", "Cormac", "Dorothy", "Ewan", "Fatima", "Grace", "Harpreet", "Isla", "Jerzy", "Kwame", "Leila", "Magnus", "Nadia",
	}
	familyNames = []string{
		"Abbot", "Begum", "Crowther", "Dymond", "Eze", "Fairhurst", "Gill", "Hollis", "Ibbotson", "Jankowska", "Kaur", "Lamb", "Mbeki-Lowe", "Nuttall", "Okafor", "Pennington", "Quayle", "Rahman", "Sugden", "Tregenza",
		"Underhill", "Vaughan", "Whitaker", "Xu", "Yeo", "Zielinski", "Ashworth", "Bains", "Clegg", "Dhillon", "Entwistle", "Fosu", "Gorecki", "Hirst", "Iyer", "Jessop", "Kenyon", "Lister", "MacAskill", "Nwosu",
	}
)

// person is a patient of a busy practice.
type person struct {
	name, born string
	contact    patient.Contact // empty for most
	id         patient.ID
}

// crowd makes up the patients. The regulars come first, the awkward ones and the namesakes
// among them.
func crowd(chance *rand.Rand) []person {
	people := make([]person, 0, crowdSize)
	for _, name := range awkwardNames {
		people = append(people, person{name: name})
	}
	for range namesakes {
		people = append(people, person{name: "Margaret Green"})
	}
	for len(people) < crowdSize {
		people = append(people, person{name: givenNames[chance.IntN(len(givenNames))] + " " + familyNames[chance.IntN(len(familyNames))]})
	}
	for n := range people {
		people[n].born = time.Date(1926, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, chance.IntN(365*99)).Format(time.DateOnly)
		if n < regulars && n%4 > 0 {
			people[n].contact = contactOf(n)
		}
	}
	people[len(awkwardNames)+1].born = people[len(awkwardNames)].born // two namesakes of one day
	return people
}

// contactOf makes up details that belong to no one: telephone numbers for drama (Ofcom), a
// reserved domain, and NHS numbers of the range for tests.
func contactOf(n int) patient.Contact {
	c := patient.Contact{Telephone: fmt.Sprintf("07700 900%03d", n%1000), NHSNumber: testNHSNumber(n)}
	if n%2 == 0 {
		c.Email = fmt.Sprintf("patient%d@sandbox.example", n)
	}
	return c
}

// testNHSNumber returns a number that begins with 999, or "" where the check digit would be 10.
func testNHSNumber(n int) string {
	digits, sum := fmt.Sprintf("999%06d", n), 0
	for place, digit := range digits {
		sum += (10 - place) * int(digit-'0')
	}
	check := (11 - sum%11) % 11
	if check == 10 {
		return ""
	}
	return digits + fmt.Sprint(check)
}

// registerAll registers the patients at the beginning of the plan, and records who the
// regulars are.
func (b *busy) registerAll(ctx context.Context, people []person) error {
	const restricted = 12 // every twelfth of the first regulars has a restricted record: four of them
	p := plan{calendar: b.calendar}
	for n := range people {
		who := &people[n]
		p.add(b.begin, func(ctx context.Context) (err error) {
			who.id, err = b.register(ctx, who.name, who.born, n > 0 && n%restricted == 0 && n <= 4*restricted)
			return err
		})
		if who.contact != (patient.Contact{}) {
			p.add(b.begin.Add(time.Minute), func(ctx context.Context) error {
				return b.desk.SetContactDetails(ctx, commands.SetContactDetails{Tenant: tenant, Patient: who.id, Contact: who.contact})
			})
		}
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	for _, who := range people[:regulars] {
		b.seed.Regulars = append(b.seed.Regulars, who.id)
	}
	return nil
}

// hire registers the newcomers.
func (b *busy) hire(ctx context.Context) error {
	people := newcomers()
	for n := range people {
		people[n].Email = strings.ReplaceAll(people[n].Username, "-", "") + "@sandbox.example"
	}
	if err := plantColleagues(ctx, b.desk, b.file, b.seed, people); err != nil {
		return err
	}
	for _, known := range b.seed.Colleagues {
		id, err := b.desk.Staff.AnyStaffByUsername(ctx, tenant, known.Username)
		if err != nil {
			return err
		}
		if known.Role == staff.Receptionist {
			b.receptionists = append(b.receptionists, id)
		}
		if known.Role == staff.Clinician {
			b.clinicians = append(b.clinicians, id)
		}
	}
	return b.formTeams(ctx)
}

// formTeams adds teams that requests can be given to.
func (b *busy) formTeams(ctx context.Context) error {
	for _, team := range []commands.AddTeam{
		{Tenant: tenant, Name: "Reception", Members: b.receptionists},
		{Tenant: tenant, Name: "Doctors and nurses", Members: b.clinicians},
	} {
		if _, err := b.desk.AddTeam(ctx, team); err != nil {
			return err
		}
	}
	return nil
}

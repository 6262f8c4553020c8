package client

// Act is the person or organisation behind a call of the application itself (§2.7). Auditors see
// it.
type Act struct {
	Practitioner Practitioner `json:"practitioner"`
	Organisation Organisation `json:"organisation"`
	Role         string       `json:"role,omitempty"`    // of the person, such as General practitioner
	Purpose      string       `json:"purpose,omitempty"` // of the call, such as TREAT
}

// Practitioner is a person of the application's own.
type Practitioner struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	GMCNumber string `json:"gmc_number,omitempty"` // seven digits
}

// Organisation is the practitioner's organisation.
type Organisation struct {
	Name    string `json:"name"`
	ODSCode string `json:"ods_code,omitempty"`
}

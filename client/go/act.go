package client

// Act is who is behind a call of the application itself (§2.7). Auditors are shown it.
type Act struct {
	Practitioner Practitioner `json:"practitioner"`
	Organisation Organisation `json:"organisation"`
	Role         string       `json:"role,omitempty"`    // in which they act, such as General practitioner
	Purpose      string       `json:"purpose,omitempty"` // for which the call is made, such as TREAT
}

// Practitioner is a person of the application's own.
type Practitioner struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	GMCNumber string `json:"gmc_number,omitempty"` // seven digits
}

// Organisation is where the practitioner works.
type Organisation struct {
	Name    string `json:"name"`
	ODSCode string `json:"ods_code,omitempty"`
}

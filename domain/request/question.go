package request

// questionWords are the questions in plain words, by their keys in the contract.
var questionWords = map[string]string{
	"healthConcern":  "Health concern",
	"recentContact":  "Recent contact",
	"requestDetails": "Details of the request",
}

// Asked returns the question in plain words. For one that is no longer in the contract,
// it returns the key.
func (a Answer) Asked() string {
	if words, known := questionWords[a.Question]; known {
		return words
	}
	return a.Question
}

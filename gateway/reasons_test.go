package gateway

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Every reason and outcome that the source names is listed.
func TestVocabulariesAreWhole(t *testing.T) {
	text, err := os.ReadFile("decision.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s+\w+\s+(Reason|Outcome) += "(\w+)"`).FindAllStringSubmatch(string(text), -1)
	if len(found) < 50 {
		t.Fatalf("%d words are in the source", len(found))
	}
	for _, m := range found {
		known := slices.Contains(Reasons(), Reason(m[2]))
		if m[1] == "Outcome" {
			known = slices.Contains(Outcomes(), Outcome(m[2])) || Outcome(m[2]) == OutcomeInFlight // of the ledger alone
		}
		if !known {
			t.Errorf("%s is not listed", m[2])
		}
	}
}

package number

import "testing"

func TestCard(t *testing.T) {
	for text, want := range map[string]bool{
		"4111111111111111": true, "5500 0055 5555 5559": true, "3400-000000-00009": true, "2221000000000009": true, "36000000000008": true,
		"4111111111111112": false, "0000000000000000": false, "1234567812345670": false, "41111111111111111": false, "4111111111111111.5": false,
		"4111": false, "411111111111111a": false,
	} {
		if _, to, ok := Card([]byte(text), 0); ok != want || ok && to != len(text) {
			t.Errorf("%s: %v, up to %d", text, ok, to)
		}
	}
	if _, _, ok := Card([]byte("0.4111111111111111"), 2); ok {
		t.Error("the digits of a fraction are taken for a card")
	}
}

func TestIBAN(t *testing.T) {
	for text, want := range map[string]bool{
		"DE89370400440532013000": true, "GB82 WEST 1234 5698 7654 32": true, "NO9386011117947": true,
		"DE89370400440532013001": false, "DE8937040044053201300": false, "XX89370400440532013000": false, "DE893704004405320130001": false,
	} {
		if _, to, ok := IBAN([]byte(text), 0); ok != want || ok && to != len(text) {
			t.Errorf("%s: %v, up to %d", text, ok, to)
		}
	}
}

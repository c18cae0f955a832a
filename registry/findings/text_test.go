package findings

import "testing"

// What does not show parts no words.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain text\n":                     "plain text\n",
		"ig\u200bnore":                     "ignore",
		"ru\ufeffles \u00adx":              "rules x",
		"a\U000e0041b\ufe0fc\u202ed":       "abcd",
		"a\x1b[31;1mb\x1b[0mc":             "abc",
		"a\u009b8mb\x1bcd":                 "abd",
		"a\x1b]8;;https://x\x1b\\b\x1b]52": "ab",
		"a\x07b\u0085c":                    "abc",
		"é ü\u3164":                        "é ü",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

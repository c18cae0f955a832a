package edit

import (
	"encoding/json"
	"regexp"
	"strings"
)

// plain is text that every YAML reader takes for text without quotes.
var plain = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_.,;()/-]*( [A-Za-z0-9_.,;()/-]+)*$`)

// Quote writes a text so that it reads as that text: plain where that is plain
// to see, else in double quotes, as JSON writes it.
func Quote(s string) string {
	if plain.MatchString(s) && !reserved(s) {
		return s
	}
	return quoted(s)
}

// reserved holds for words that some reader takes for something other than text.
func reserved(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return true
	}
	return false
}

// QuoteList writes texts as a list on one line, each in quotes.
func QuoteList(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = quoted(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string: cannot fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

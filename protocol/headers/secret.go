package headers

import (
	"slices"
	"strings"
	"unicode"

	"mcp-gateway/protocol/rawjson"
)

// AsksForSecret reports whether a field of a form, named by name or title, asks
// for what must not be typed into one. See isSecret.
func AsksForSecret(field []byte, name string) bool {
	kind, _ := rawjson.Member(field, "type")
	if rawjson.IsText(kind, "boolean") {
		return false
	}
	text := "integer"
	if !rawjson.IsText(kind, "integer") && !rawjson.IsText(kind, "number") {
		text = "string"
	}
	names := []string{name}
	if title, ok := rawjson.Member(field, "title"); ok {
		shown, _ := rawjson.Text(title)
		names = append(names, shown)
	}
	for _, shown := range names {
		names = append(names, plain(shown)...)
	}
	return isSecret(field, text, names)
}

// asking reports whether a word asks whoever reads it to type something.
func asking(word string) bool {
	return oneOf(word, "enter", "type", "provide", "supply", "paste", "input", "give", "tell", "submit", "share", "send", "write", "fill",
		"put", "insert", "specify", "need", "needs", "require", "requires", "required", "reveal", "confirm", "what")
}

// briefly is the number of words up to which a sentence that names a secret asks for it.
const briefly = 4

// SolicitsSecret reports whether what is shown with a form asks for what must not be
// typed into one: a sentence in which a word asks, or that says little more than the
// name of a secret.
func SolicitsSecret(shown string) bool {
	for _, text := range append(plain(shown), shown) {
		for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
			said := words(sentence)
			asks := len(said) <= briefly || slices.ContainsFunc(said, asking)
			if asks && secretName(said, true) {
				return true
			}
		}
	}
	return false
}

// plain returns what a text says with digits and signs read as the letters that they
// look like, among them 1 as either of two; nothing where it has none.
func plain(text string) []string {
	if !strings.ContainsAny(text, "01345$@") {
		return nil
	}
	letters := strings.NewReplacer("0", "o", "3", "e", "4", "a", "5", "s", "$", "s", "@", "a").Replace(text)
	if !strings.Contains(letters, "1") {
		return []string{letters}
	}
	return []string{strings.ReplaceAll(letters, "1", "l"), strings.ReplaceAll(letters, "1", "i")}
}

// isSecret reports whether a property is of a class that must not travel in a
// header: by its schema (writeOnly, format password) or by a word of its name.
// A boolean holds no secret, and an integer no token or key (max_tokens).
func isSecret(schema []byte, kind string, names []string) bool {
	if kind == "boolean" {
		return false
	}
	writeOnly, _ := rawjson.Member(schema, "writeOnly")
	format, _ := rawjson.Member(schema, "format")
	if rawjson.Kind(writeOnly) == 't' || rawjson.IsText(format, "password") {
		return true
	}
	for _, name := range names {
		if secretName(words(name), kind == "string") {
			return true
		}
	}
	return false
}

// secretName judges the words of one name. "key" alone counts, and after a word
// that makes it one; sort_key and issue_key are no secrets.
func secretName(words []string, text bool) bool {
	for i, word := range words {
		switch word {
		case "password", "passwd", "pwd", "passphrase", "passcode", "pin", "otp", "totp", "secret", "secrets",
			"credential", "credentials", "cvv", "cvc", "ssn", "iban", "creditcard", "debitcard", "cardnumber", "mnemonic":
			return true
		case "card", "cards":
			if i > 0 && oneOf(words[i-1], "credit", "debit", "bank", "payment") || i+1 < len(words) && oneOf(words[i+1], "number", "no", "pan") {
				return true
			}
		case "code", "codes", "phrase":
			if i > 0 && (oneOf(words[i-1], "onetime", "verification", "security", "authentication", "auth", "mfa", "fa", "recovery", "backup", "sms", "login", "seed", "pass", "access") || i > 1 && words[i-2] == "one" && words[i-1] == "time") {
				return true
			}
		case "token", "tokens", "jwt", "bearer", "authorization", "auth", "cookie", "cookies",
			"apikey", "accesskey", "secretkey", "privatekey", "sessionid":
			if text {
				return true
			}
		case "key", "keys":
			if text && (len(words) == 1 || i > 0 && keyMaker(words[i-1])) {
				return true
			}
		}
	}
	return false
}

func keyMaker(word string) bool {
	return oneOf(word, "api", "access", "private", "signing", "encryption", "master", "ssh", "gpg", "license", "service", "account",
		"client", "auth", "app", "application", "admin", "deploy", "webhook", "hmac")
}

func oneOf(word string, words ...string) bool { return slices.Contains(words, word) }

// personalName judges whether a name is of what tells who somebody is. A form may ask
// for that; a header, which every hop may keep, must not hold it.
func personalName(words []string) bool {
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch word {
		case "email", "emails", "phone", "telephone", "msisdn", "birthday", "birthdate", "birth", "dob", "passport",
			"firstname", "lastname", "fullname", "surname", "taxid":
			return true
		case "name":
			if oneOf(before, "first", "last", "full", "family", "given", "middle", "maiden") {
				return true
			}
		case "address", "addresses":
			if oneOf(before, "mail", "home", "postal", "street", "billing", "shipping") {
				return true
			}
		case "id", "number":
			if oneOf(before, "tax", "national", "patient", "insurance", "passport", "license", "mobile", "security") {
				return true
			}
		}
	}
	return false
}

// words splits a name at case changes and at everything that is no letter.
func words(name string) []string {
	var found []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			found = append(found, b.String())
			b.Reset()
		}
	}
	previous := ' '
	for _, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && unicode.IsLower(previous) {
			flush()
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		previous = r
	}
	flush()
	return found
}

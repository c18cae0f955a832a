package secret

import (
	"bytes"
	"strings"

	"mcp-gateway/redact/secret/number"
)

// special are the rules that need code.
func special() []rule {
	rules := []rule{
		{class: "private_key", literals: []string{"-----BEGIN"}, window: 16 << 10, free: true,
			needs: func(s []byte) bool {
				return bytes.Contains(s[:min(len(s), 100)], []byte("PRIVATE KEY")) && body(s[:min(len(s), 16<<10)])
			},
			expr:     lazy(`^(-----BEGIN[A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----\s{0,4}[^\s-](?s:.*?)(?:-----END[A-Z0-9 _-]{0,60}PRIVATE KEY(?: BLOCK)?-----|$))`),
			valid:    body,
			positive: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
			negative: "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----"},
		{class: "jwt", literals: []string{"eyJ"}, window: jwtWindow, free: true, jwt: true,
			expr:     lazy(`^(eyJ[\w-]{10,}={0,2}\.eyJ[\w/\\-]{10,}={0,2}(?:\.[\w/\\-]*={0,2})?)`),
			positive: "eyJ{a20}.eyJ{a40}.{n43}", negative: "eyJ{a30} is only a header"},
		{class: "url_password", literals: []string{"://"}, free: true,
			needs: authority,
			expr:  lazy(`^://[^\s/@:"'<>\\]{0,64}:([^\s/@"'<>\\]{1,200})@`),
			valid: func(s []byte) bool { return s[0] != '$' && s[0] != '{' && s[0] != '%' && s[0] != '[' },
			// Not a port: a password stands before an @ in the authority.
			positive: "postgres://app:S3cretPass99@db/x", negative: "http://host:8080/path@home"},
		{class: "bearer_token", literals: []string{"bearer"}, fold: true, window: 4 << 10,
			expr: lazy(`^(?i:bearer)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,}={0,2})`), valid: mixed,
			positive: "Authorization: Bearer {a20}", negative: "bearer authentication-is-required"},
		{class: "authorization", literals: []string{"authorization"}, fold: true, named: true, free: true,
			expr: lazy(`^(?i:(?:basic|bearer|token|apikey|digest|negotiate)[ \t]+)?([\w.~+/=@-]{8,})`), valid: encoded,
			positive: "Authorization: Basic {a20}=", negative: "Authorization: required"},
		{class: "azure_secret", begins: []string{"0q~"}, back: 3,
			expr: lazy(`^([\w~.]{3}[0-9]Q~[\w~.-]{31,34})`), valid: varied,
			positive: "secret: {a3}8Q~{n34}", negative: "sidebar~.ui8Q~short"},
		{class: "terraform_token", literals: []string{".atlasv1."}, back: 14,
			expr: lazy(`^([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})`), positive: "{a14}.atlasv1.{n67}", negative: "x.atlasv1.short"},
		{class: "maxmind_key", literals: []string{"_mmk"}, back: 36,
			expr: lazy(`^([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b`), positive: "{a6}_{a29}_mmk", negative: "in_an_mmk"},
		{class: "twilio_key", literals: []string{"SK"}, begins: hexPairs("sk"),
			expr: lazy(`^(SK[0-9a-fA-F]{32})`), valid: func(s []byte) bool { return len(s) == 34 && mixed(s) },
			positive: "SK{h32}", negative: "SK{h40}"},
		{class: "telegram_token", begins: []string{"0:a"}, free: true, find: telegram,
			positive: "bot {d10}:A{n34}", negative: "at 10:Afternoon"},
		{class: "facebook_token", begins: []string{"00|"}, free: true, find: facebook,
			positive: "{d15}|{n27}", negative: "| 15|twentyseven |"},
		{class: "nuget_password", literals: []string{`password"`}, fold: true,
			expr:     lazy(`^(?i:password)"\s{1,8}value="([^"%]{4,200})"`),
			positive: `<add key="ClearTextPassword" value="Source-Pass" />`, negative: `<add key="Password" value="%PASSWORD%" />`, free: true},
		{class: "curl_user", literals: []string{"curl"}, window: 1 << 10,
			needs:    func(s []byte) bool { return bytes.Contains(s[:min(len(s), 1<<10)], []byte("-u")) },
			expr:     lazy(`^curl\b[^|;&]{0,600}?[ \t\n](?:-u|--user)(?:=|[ \t]{0,5})["']?[^\s"':$<\[{(]{0,64}:([^\s"':$<\[{(][^\s"']{2,})`),
			valid:    password,
			positive: "curl -s -u 'admin:S3cr3t!pw' https://host/", negative: "curl -u user:$PASSWORD https://host/"},
		{class: "card", begins: []string{"0000"}, free: true, find: number.Card, positive: "4111 1111 1111 1111", negative: "4111 1111 1111 1112"},
		{class: "iban", begins: number.Countries(), find: number.IBAN, positive: "DE89 3704 0044 0532 0130 00", negative: "DE89 3704 0044 0532 0130 01"},
	}
	return append(rules, assignments()...)
}

// shortToken is the entropy, in bits a byte, of a short value that is a token by its name
// alone: ids and versions are assigned to such names as well.
const shortToken = 3.5

// assignments are values by what their names say, whosever they are.
func assignments() []rule {
	const value = `^([^\s"',;&<>()\\` + "`" + `]{8,})`
	return []rule{
		{class: "assignment", fold: true, free: true,
			literals: []string{"password", "passwd", "passphrase", "passwort", "passcode", "pwd"},
			named:    true, expr: lazy(value), valid: mixed, about: true,
			positive: "password=hunter2Hunter2", negative: "password: required-field"},
		{class: "assignment", fold: true, free: true,
			literals: []string{"secret", "credential", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey",
				"auth_key", "private_key", "private-key", "privatekey", "access_token", "auth_token", "private_token", "encryption_key", "signing_key"},
			named: true, expr: lazy(value), about: true,
			valid:    func(s []byte) bool { return len(s) >= 10 && random(s) && !link(s) && !wordy(s) },
			positive: "client_secret: {a24}", negative: "secret: see https://example.com/doc"},
		{class: "assignment", literals: []string{"token"}, fold: true, free: true, named: true, about: true,
			expr: lazy(`^([\w+/=.~-]{12,})`),
			valid: func(s []byte) bool {
				return random(s) && (len(s) >= 20 || entropy(s) >= shortToken) && !link(s) && !wordy(s)
			},
			positive: `apiToken = "{a24}"`, negative: `next_page_token = "{a24}"`},
		{class: "assignment", named: true, fold: true, free: true, literals: []string{"_key", "-key", "key\"", "auth\""}, about: true,
			expr: lazy(`^([\w+/=.~-]{20,})`), valid: func(s []byte) bool { return upperAndLower(s) && random(s) && !wordy(s) },
			positive: `master_key: {a32}`, negative: `cache_key: {h40}`},
	}
}

// about tells a name that is about a secret from the name of one: password_length,
// credentialsId, publicKey, next_page_token. The known part stands in s[i:end].
func about(s []byte, i, end int) bool {
	begin := i
	for begin > 0 && i-begin < 24 && (word(s[begin-1]) || s[begin-1] == '-') {
		begin--
	}
	before := strings.ToLower(string(s[begin:i]))
	for _, part := range []string{"page", "next", "prev", "continu", "cursor", "sync", "resume", "delta", "public", "csrf", "xsrf"} {
		if strings.Contains(before, part) {
			return true
		}
	}
	stop := end
	for stop < len(s) && stop-end < 24 && (word(s[stop]) || s[stop] == '-' || s[stop] == '.') {
		stop++
	}
	after := strings.TrimRight(strings.ToLower(string(s[end:stop])), "._-s")
	for _, part := range []string{"id", "name", "url", "uri", "length", "size", "type", "path", "file", "count", "version", "expire",
		"ttl", "policy", "store", "provider", "field", "label", "template"} {
		if strings.HasSuffix(after, part) {
			return true
		}
	}
	return false
}

// body tells a key from a word between its lines.
func body(s []byte) bool {
	_, rest, _ := bytes.Cut(s[11:], []byte("-----"))
	rest, _, _ = bytes.Cut(rest, []byte("-----"))
	return bytes.ContainsFunc(rest, upper) || bytes.ContainsAny(rest, "0123456789")
}

// password tells one from the words that stand for it in a manual.
func password(s []byte) bool {
	switch strings.ToLower(strings.Trim(string(s), `"'>`)) {
	case "token", "password", "passwd", "pass", "secret", "key", "test", "pwd":
		return false
	}
	return !bytes.Contains(s, []byte("assword")) && variety(s) > 3
}

// authority reports whether a user, or a password, stands in what begins with ://: an @
// before anything that ends an authority.
func authority(s []byte) bool {
	end := bytes.IndexAny(s[3:min(len(s), usualWindow)], " \t\r\n\f/@\"'<>\\")
	return end >= 0 && s[3+end] == '@'
}

// link tells an address from a secret.
func link(s []byte) bool { return bytes.Contains(s, []byte("://")) || bytes.HasPrefix(s, []byte("/")) }

// encoded tells a credential in a header from a word.
func encoded(s []byte) bool { return mixed(s) || s[len(s)-1] == '=' || bothCases(s[1:]) }

func bothCases(s []byte) bool { return bytes.ContainsFunc(s, upper) && bytes.ContainsFunc(s, lower) }

func upper(r rune) bool { return r >= 'A' && r <= 'Z' }
func lower(r rune) bool { return r >= 'a' && r <= 'z' }

// hexPairs is prefix with any two hex digits behind it, as the filter sees them.
func hexPairs(prefix string) []string {
	var out []string
	for _, a := range "abcdef0" {
		for _, b := range "abcdef0" {
			out = append(out, prefix+string(a)+string(b))
		}
	}
	return out
}

// digitsBefore returns where the digits begin that end at i, inclusive.
func digitsBefore(s []byte, i int) int {
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	return i
}

// tokenEnd returns where the run of letters, digits, - and _ ends that begins at i.
func tokenEnd(s []byte, i int) int {
	for i < len(s) && (word(s[i]) || s[i] == '-') {
		i++
	}
	return i
}

// telegram finds digits:A… of a bot; the last digit stands at i.
func telegram(s []byte, i int) (from, to int, ok bool) {
	from, to = digitsBefore(s, i), tokenEnd(s, i+2)
	return from, to, i+1-from >= 5 && i+1-from <= 16 && s[i+2] == 'A' && to-i-2 == 35 && (from == 0 || !word(s[from-1]))
}

// facebook finds the token of an application, digits|…; the last but one digit
// stands at i.
func facebook(s []byte, i int) (from, to int, ok bool) {
	i++
	from, to = digitsBefore(s, i), tokenEnd(s, i+2)
	return from, to, i+1-from >= 15 && i+1-from <= 16 && to-i-2 >= 27 && to-i-2 <= 40 && bothCases(s[i+2:to])
}

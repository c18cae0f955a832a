package secret

import (
	"bytes"
	"regexp"
)

// rule is one kind of secret, as data. A literal is looked for first; only where
// one stands does the expression look at a window of text that begins there. Its
// first group is what is replaced.
type rule struct {
	class    string
	literals []string // lower case where fold
	fold     bool     // literals in any case
	window   int      // bytes that the expression may see
	expr     *regexp.Regexp
	free     bool                     // the literal may follow a letter or digit
	valid    func(secret []byte) bool // nil = always
	positive string                   // holds a secret; a test runs it
	negative string                   // looks like one; a test runs it
}

func at(expr string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + expr + `)`) }

// rules are tried in this order at each literal.
var rules = []rule{
	{class: "private_key", literals: []string{"-----BEGIN"}, window: 16 << 10, free: true,
		expr:     at(`(-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$))`),
		positive: "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
		negative: "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----"},
	{class: "aws_access_key", literals: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, window: 32,
		expr:     at(`([A-Z]{4}[A-Z0-9]{16})(?:[^A-Za-z0-9]|$)`),
		positive: "AKIAQ7ZZZZZZZZZZZZ2A", negative: "AKIAQ7 is a prefix"},
	{class: "github_token", literals: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, window: 256,
		expr:     at(`(gh[pousr]_[A-Za-z0-9]{36,})`),
		positive: "ghp_0123456789abcdefghijABCDEFGHIJ012345", negative: "ghp_short"},
	{class: "github_token", literals: []string{"github_pat_"}, window: 300,
		expr:     at(`(github_pat_[A-Za-z0-9_]{22,})`),
		positive: "github_pat_11ABCDEFG0123456789abcdef", negative: "github_pat_token"},
	{class: "slack_token", literals: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-"}, window: 256,
		expr:     at(`(xox[abeprs]-[A-Za-z0-9-]{10,})`),
		positive: "xoxb-123456789012-abcdefGHIJ", negative: "xoxb-short"},
	{class: "stripe_key", literals: []string{"sk_live_", "rk_live_"}, window: 256,
		expr:     at(`([sr]k_live_[A-Za-z0-9]{16,})`),
		positive: "sk_live_4eC39HqLyjWDarjtT1zdp7dc", negative: "sk_live_mode"},
	{class: "google_api_key", literals: []string{"AIza"}, window: 64,
		expr:     at(`(AIza[A-Za-z0-9_-]{35})`),
		positive: "AIzaSyA-1234567890abcdefghijklmnopqrstu", negative: "AIzaSy"},
	{class: "npm_token", literals: []string{"npm_"}, window: 64,
		expr:     at(`(npm_[A-Za-z0-9]{36})`),
		positive: "npm_0123456789abcdefghijABCDEFGHIJ012345", negative: "npm_config_registry"},
	{class: "gateway_key", literals: []string{"mcpgw_"}, window: 128,
		expr:     at(`(mcpgw_[A-Za-z0-9_-]{20,})`),
		positive: "mcpgw_0123456789abcdefghijABCDEFGHIJ01234567890ab", negative: "mcpgw_requests_total"},
	{class: "jwt", literals: []string{"eyJ"}, window: 4096,
		expr:     at(`(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`),
		positive: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
		negative: "eyJhbGciOiJIUzI1NiJ9 is only a header"},
	{class: "url_password", literals: []string{"://"}, window: 320, free: true,
		expr:     at(`://[^\s/@:"'<>\\]{0,64}:([^\s/@"'<>\\]{1,200})@`),
		valid:    notPlaceholder,
		positive: "postgres://app:S3cretPass99@db/x", negative: "http://host:8080/path@home"},
	{class: "bearer_token", literals: []string{"bearer"}, fold: true, window: 512,
		expr:     at(`(?i:bearer)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,}={0,2})`),
		valid:    mixed,
		positive: "Authorization: Bearer a1B2c3D4e5F6g7H8i9J0", negative: "bearer authentication-is-required"},
	{class: "assignment", fold: true, window: 320, free: true,
		literals: []string{"password", "passwd", "passphrase", "secret", "api_key", "api-key", "apikey",
			"access_key", "access_token", "auth_token", "private_token"},
		expr:     at(`[A-Za-z_-]{1,24}\\?["']?[ \t]{0,3}(?:=|:=?|=>)[ \t]{0,3}\\?["']?([^\s"',;&<>()\\]{8,})`),
		valid:    mixed,
		positive: "password=hunter2Hunter2", negative: "password: required-field"},
}

// notPlaceholder lets through what is plainly no secret: references to a secret
// kept elsewhere, masks, and our own placeholders.
func notPlaceholder(s []byte) bool {
	for _, prefix := range []string{"[redacted", "$", "{", "%", "env:", "file:", "***", "xxx"} {
		if bytes.HasPrefix(s, []byte(prefix)) {
			return false
		}
	}
	return true
}

// mixed asks for a letter and a digit too, which words of prose do not have.
func mixed(s []byte) bool {
	letter, digit := false, false
	for _, c := range s {
		letter = letter || c|0x20 >= 'a' && c|0x20 <= 'z'
		digit = digit || c >= '0' && c <= '9'
	}
	return letter && digit && notPlaceholder(s)
}

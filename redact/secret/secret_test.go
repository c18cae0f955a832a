package secret

import (
	"strings"
	"testing"
)

func textOf(s string) string {
	out, _ := New().Mask(nil, []byte(s), func(int) {})
	return string(out)
}

// Every rule carries its own proof: a sample that it must replace, and one that
// looks alike and must stay.
func TestRules(t *testing.T) {
	r := textOf
	for _, ru := range rules {
		placeholder := "[redacted:" + ru.class + "]"
		for _, frame := range []string{"%", "see % now", "(%)", "a\n%\nb", "Größe: %"} {
			in := strings.Replace(frame, "%", ru.positive, 1)
			got := r(in)
			if !strings.Contains(got, placeholder) {
				t.Errorf("%s: %q stays %q", ru.class, in, got)
			}
			if again := r(got); again != got {
				t.Errorf("%s: %q becomes %q when redacted again", ru.class, got, again)
			}
			in = strings.Replace(frame, "%", ru.negative, 1)
			if got := r(in); got != in {
				t.Errorf("%s: harmless %q becomes %q", ru.class, in, got)
			}
		}
		for _, lit := range ru.literals {
			if len(lit) < 3 || ru.fold && lit != strings.ToLower(lit) {
				t.Errorf("%s: literal %q does not fit the prefilter", ru.class, lit)
			}
		}
	}
}

func TestNoFragmentOfASecretIsLeft(t *testing.T) {
	r := textOf
	for in, want := range map[string]string{
		"postgres://app:S3cretPass99@db/x":                                                      "postgres://app:[redacted:url_password]@db/x",
		"https://user:${TOKEN}@host/":                                                           "https://user:${TOKEN}@host/",
		"DB_PASSWORD='a1b2c3d4!x'":                                                              "DB_PASSWORD='[redacted:assignment]'",
		`{"client_secret": "abc123def456"}`:                                                     `{"client_secret": "[redacted:assignment]"}`,
		"password: " + strings.Repeat("a1!", 200):                                               "password: [redacted:assignment]",
		"sk_live_" + strings.Repeat("a1", 400):                                                  "[redacted:stripe_key]",
		"authorization: bearer " + strings.Repeat("x9", 600) + " end":                           "authorization: bearer [redacted:bearer_token] end",
		"two ghp_0123456789abcdefghijABCDEFGHIJ012345,ghp_0123456789abcdefghijABCDEFGHIJ012345": "two [redacted:github_token],[redacted:github_token]",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n":                                           "[redacted:private_key]",
		"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIE\n-----END RSA PRIVATE KEY-----\nrest": "[redacted:private_key]\nrest",
		"The password must have eight characters.":                        "The password must have eight characters.",
		"secret: see https://example.com/doc":                             "secret: see https://example.com/doc",
		"xghp_0123456789abcdefghijABCDEFGHIJ012345":                       "xghp_0123456789abcdefghijABCDEFGHIJ012345",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 sha512-eyJhbGci": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 sha512-eyJhbGci",
	} {
		if got := r(in); got != want {
			t.Errorf("Text(%.80q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func BenchmarkPrefilter(b *testing.B) {
	p := newPrefilter(rules)
	text := []byte(strings.Repeat("The quick brown fox jumps over the lazy dog 0123. ", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if at, _ := p.next(text, 0); at >= 0 {
			b.Fatal("hit")
		}
	}
}

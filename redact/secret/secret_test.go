package secret

import (
	"strconv"
	"strings"
	"testing"
)

func textOf(s string) string {
	out, _ := New(Options{}).Mask(nil, []byte(s), func(string) {})
	return string(out)
}

// expand makes samples of what stands in braces: {h32} is 32 hex digits.
func expand(s string) string {
	sets := map[string]string{
		"h": "0f1e2d3c4b5a6978", "l": "a1b2c3d4e5f6g7h8i9j0kzmynx", "u": "A1B2C3D4E5F6G7H8J9K2MZNYPX", "d": "1234567890987654",
		"a": "aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uVwX", "n": "aB1-cD2_eF3gH4iJ5kL6mN7oP8qR9sT0uVwX",
	}
	for {
		before, rest, found := strings.Cut(s, "{")
		spec, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return s
		}
		if spec == "g1" {
			s = before + expand("{h8}-{h4}-{h4}-{h4}-{h12}") + after
			continue
		}
		n, err := strconv.Atoi(spec[1:])
		if err != nil {
			return s
		}
		set := sets[spec[:1]]
		s = before + strings.Repeat(set, n/len(set)+1)[:n] + after
	}
}

// Every rule carries its own proof: a sample that it must replace, and one that
// looks alike and must stay.
func TestRules(t *testing.T) {
	classes := map[string]bool{}
	all := compiled().rules
	for _, ru := range all {
		classes[ru.class] = true
		t.Run(ru.class, func(t *testing.T) { proveRule(t, &ru) })
	}
	t.Logf("%d rules of %d classes", len(all), len(classes))
	if len(all) < 200 {
		t.Errorf("%d rules, at least 200 are promised", len(all))
	}
}

func proveRule(t *testing.T, ru *rule) {
	if ru.expr != nil {
		ru.expr() // compiles
	}
	for _, frame := range []string{"%", "see % now", "(%)", "a\n%\nb", "Größe: %"} {
		in := strings.Replace(frame, "%", expand(ru.positive), 1)
		found := ""
		out, _ := New(Options{}).Mask(nil, []byte(in), func(class string) { found += class + " " })
		if !strings.Contains(string(out), "[redacted:") {
			t.Errorf("%q stays %q", in, out)
		}
		if again := textOf(string(out)); again != string(out) {
			t.Errorf("%q becomes %q when redacted again", out, again)
		}
		in = strings.Replace(frame, "%", expand(ru.negative), 1)
		if got := textOf(in); got != in {
			t.Errorf("harmless %q becomes %q", in, got)
		}
	}
	if !finds(ru, expand(ru.positive)) {
		t.Errorf("the rule itself does not find %q", expand(ru.positive))
	}
}

// finds reports whether this very rule finds a secret in s, where the filter has
// it look.
func finds(ru *rule, s string) bool {
	f := newFilter([]rule{*ru})
	for i, rules := f.next([]byte(s), 0); i >= 0; i, rules = f.next([]byte(s), i+1) {
		if _, _, ok := ru.at([]byte(s), i, new(far)); ok && len(rules) > 0 {
			return true
		}
	}
	return false
}

func TestNoFragmentOfASecretIsLeft(t *testing.T) {
	r := textOf
	for in, want := range map[string]string{
		"postgres://app:S3cretPass99@db/x":                                                      "postgres://app:[redacted:url_password]@db/x",
		"https://user:${TOKEN}@host/":                                                           "https://user:${TOKEN}@host/",
		"DB_PASSWORD='a1b2c3d4!x'":                                                              "DB_PASSWORD='[redacted:assignment]'",
		`{"client_secret": "abc123def456"}`:                                                     `{"client_secret": "[redacted:assignment]"}`,
		"password: " + strings.Repeat("a1!", 200):                                               "password: [redacted:assignment]",
		"sk_live_" + strings.Repeat("a1B2c3D4", 100):                                            "[redacted:stripe_key]",
		"authorization: bearer " + strings.Repeat("x9", 600) + " end":                           "authorization: bearer [redacted:authorization] end",
		"two ghp_0123456789abcdefghijABCDEFGHIJ012345,ghp_0123456789abcdefghijABCDEFGHIJ012345": "two [redacted:github_token],[redacted:github_token]",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n":                                           "[redacted:private_key]",
		"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIE\n-----END RSA PRIVATE KEY-----\nrest": "[redacted:private_key]\nrest",
		"The password must have eight characters.":                        "The password must have eight characters.",
		"secret: see https://example.com/doc":                             "secret: see https://example.com/doc",
		"xghp_0123456789abcdefghijABCDEFGHIJ012345":                       "x[redacted:github_token]",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 sha512-eyJhbGci": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 sha512-eyJhbGci",
	} {
		if got := r(in); got != want {
			t.Errorf("Text(%.80q)\n got %q\nwant %q", in, got, want)
		}
	}
}

func BenchmarkMask(b *testing.B) {
	sc := New(Options{})
	for name, text := range map[string]string{
		"prose": strings.Repeat("The quick brown fox jumps over the lazy dog, and 42 more of its keys. ", 1430),
		"urls":  strings.Repeat("see https://wiki.example/payments/runbook?x=1 for request 4711 of customer 0815; ", 1200),
		"logs":  strings.Repeat("2026-09-01T00:00:00Z INFO payments: started worker 4 on port 8080 id=3f2a9c\n", 1300),
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, changed := sc.Mask(nil, text, func(string) {}); changed {
					b.Fatal("hit")
				}
			}
		})
	}
}

// A token is one wherever it stands: names that a program joins to it, before or
// behind, don't hide it. What only looks glued stays.
func TestGlued(t *testing.T) {
	const ghp, aws, gitlab = "ghp_{a36}", "AKIA{u16}", "glpat-{a20}"
	for in, want := range map[string]string{
		"x" + ghp:                      "x[redacted:github_token]",
		"1" + ghp:                      "1[redacted:github_token]",
		"export_" + ghp:                "export_[redacted:github_token]",
		"myToken" + ghp:                "myToken[redacted:github_token]",
		"TOKEN_" + ghp + "_X":          "TOKEN_[redacted:github_token]",
		"KEY" + aws:                    "KEY[redacted:aws_access_key]",
		"KEY_" + aws + "_X":            "KEY_[redacted:aws_access_key]",
		"x" + gitlab:                   "x[redacted:gitlab_token]",
		"keyAIza{a35}_X":               "key[redacted:google_api_key]",
		"my_SG.{a22}.{a43}":            "my_[redacted:sendgrid_key]",
		"tokeneyJ{a20}.eyJ{a40}.{n43}": "token[redacted:jwt]",
		"Tokensk_live_{a24}":           "Token[redacted:stripe_key]",
		"xhf_{a34}":                    "x[redacted:huggingface_token]",
		"task_test_{a24}":              "task_test_{a24}",
		"disk-{h64}":                   "disk-{h64}",
		"task-admin-of-the-cluster-in-region-2-and-what-else-runs": "task-admin-of-the-cluster-in-region-2-and-what-else-runs",
		"highs_and_lows_of_2026":                                   "highs_and_lows_of_2026",
	} {
		if got := textOf(expand(in)); got != expand(want) {
			t.Errorf("%q\n got %q\nwant %q", expand(in), got, expand(want))
		}
	}
}

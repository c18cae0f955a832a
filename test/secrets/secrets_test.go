package secrets

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zricethezav/gitleaks/v8/cmd/generate/config/rules"
	"github.com/zricethezav/gitleaks/v8/cmd/generate/config/utils"
	"github.com/zricethezav/gitleaks/v8/detect"

	"mcp-gateway/redact/secret"
)

func samples(t *testing.T) []utils.Sample {
	t.Helper()
	utils.Samples = nil
	for _, make := range rules.All() {
		make()
	}
	if len(utils.Samples) < 5000 {
		t.Fatalf("only %d samples", len(utils.Samples))
	}
	return utils.Samples
}

func detector(t testing.TB) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func masked(text string) (string, bool) {
	out, changed := secret.New(secret.Options{}).Mask(nil, []byte(text), func(string) {})
	return string(out), changed
}

// found reports whether the secret of a sample is gone: something was replaced, and
// nothing that gitleaks takes for the secret is left whole.
func found(d *detect.Detector, text string) bool {
	out, changed := masked(text)
	if !changed {
		return false
	}
	for _, f := range d.DetectString(text) {
		if len(f.Secret) >= 12 && strings.Contains(out, f.Secret) {
			return false
		}
	}
	return true
}

func TestRecall(t *testing.T) {
	d := detector(t)
	total, hit := 0, 0
	missed := map[string]int{}
	example := map[string]string{}
	for _, s := range samples(t) {
		if !s.Secret {
			continue
		}
		total++
		if found(d, s.Text) {
			hit++
			continue
		}
		missed[s.Rule]++
		example[s.Rule] = s.Text
	}
	var ids []string
	for id := range missed {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return missed[ids[i]] > missed[ids[j]] })
	for _, id := range ids {
		t.Logf("missed %3d  %s  %.120q", missed[id], id, example[id])
	}
	t.Logf("recall on gitleaks' own examples: %d/%d = %.2f %%", hit, total, 100*float64(hit)/float64(total))
	if float64(hit) < 0.95*float64(total) {
		t.Error("less than 95 %")
	}
}

// published are keys of real form that stand in public documents.
var published = regexp.MustCompile(`^AIza[\w-]{35}$`)

// TestFalsePositives counts, of the texts that gitleaks' own rules must leave alone
// and that all its rules together leave alone, and of text made here that looks
// like secrets, what is taken for one.
func TestFalsePositives(t *testing.T) {
	d := detector(t)
	theirs, wrong, known := 0, 0, 0
	for _, s := range samples(t) {
		if s.Secret || len(d.DetectString(s.Text)) > 0 {
			continue
		}
		if published.MatchString(s.Text) {
			known++
			continue
		}
		theirs++
		if out, changed := masked(s.Text); changed {
			wrong++
			t.Logf("theirs: %s  %.160q  becomes  %.160q", s.Rule, s.Text, out)
		}
	}
	own, bad := 0, 0
	for kind, text := range harmless() {
		for _, s := range text {
			own++
			if out, changed := masked(s); changed {
				bad++
				t.Logf("made: %s  %.160q  becomes  %.160q", kind, s, out)
			}
		}
	}
	all := float64(wrong+bad) / float64(theirs+own)
	t.Logf("%d published keys of their allow-lists are left out: no form tells them from a secret", known)
	t.Logf("false positives: %d/%d of theirs, %d/%d made here, %.2f %% of all", wrong, theirs, bad, own, 100*all)
	if all > 0.005 {
		t.Error("more than 0.5 %")
	}
}

// harmless makes text that looks like secrets and is none, by kind.
func harmless() map[string][]string {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(set string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = set[r.IntN(len(set))]
		}
		return string(b)
	}
	const hex, digits, lower = "0123456789abcdef", "0123456789", "abcdefghijklmnopqrstuvwxyz"
	const b64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	uuid := func() string {
		return pick(hex, 8) + "-" + pick(hex, 4) + "-4" + pick(hex, 3) + "-a" + pick(hex, 3) + "-" + pick(hex, 12)
	}
	makers := map[string]func() string{
		"uuid":   func() string { return `{"id": "` + uuid() + `"}` },
		"commit": func() string { return "commit " + pick(hex, 40) },
		"image":  func() string { return "image registry.example/app@sha256:" + pick(hex, 64) },
		"sri":    func() string { return `"integrity": "sha512-` + pick(b64, 86) + `=="` },
		"base64": func() string { return `{"thumbnail": "` + pick(b64, 120) + `"}` },
		"version": func() string {
			return fmt.Sprintf("v%d.%d.%d-rc.%d+build.%s", r.IntN(9), r.IntN(30), r.IntN(30), r.IntN(9), pick(hex, 7))
		},
		"time": func() string {
			return fmt.Sprintf("2026-0%d-1%dT0%d:11:12.%sZ level=info", 1+r.IntN(9), r.IntN(9), r.IntN(9), pick(digits, 6))
		},
		"etag": func() string { return `ETag: "` + pick(hex, 32) + `"` },
		"path": func() string {
			return "/srv/" + pick(lower, 8) + "/" + pick(lower, 12) + "_" + pick(digits, 4) + ".log"
		},
		"prose": func() string {
			return "The password must have " + pick(digits, 2) + " characters; tokens expire after " + pick(digits, 2) + " days."
		},
		"placeholder": func() string { return "api_key: <your-key-here-" + pick(digits, 2) + ">, password: ${DB_PASSWORD}" },
		"cache key":   func() string { return "cache_key: " + pick(hex, 40) },
		"cursor":      func() string { return `{"next_page_token": "` + pick(b64[:62], 40) + `"}` },
		"order":       func() string { return "order " + pick(digits[1:], 9) + " of " + pick(digits[1:], 5) + " is ready" },
		"bearer":      func() string { return "Bearer authentication is used by " + pick(lower, 9) },
		"url": func() string {
			return "https://" + pick(lower, 8) + ".example:8443/" + pick(lower, 5) + "?id=" + pick(digits, 8)
		},
		"trace": func() string { return "traceparent: 00-" + pick(hex, 32) + "-" + pick(hex, 16) + "-01" },
		"code": func() string {
			return "func New" + pick(lower, 5) + "(key string, secret []byte) (*Token" + pick(digits, 1) + ", error)"
		},
		"css": func() string { return ".token-" + pick(lower, 4) + " { color: #" + pick(hex, 6) + "; margin: 0 auto }" },
		"lock file": func() string {
			return "github.com/" + pick(lower, 6) + "/" + pick(lower, 6) + " v1.2." + pick(digits, 1) + " h1:" + pick(b64, 43) + "="
		},
	}
	out := map[string][]string{}
	for kind, one := range makers {
		for range 100 {
			out[kind] = append(out[kind], one())
		}
	}
	return out
}

// TestSpeed runs both over the same clean text by turns. It prints and does not
// judge: the machine may be busy.
func TestSpeed(t *testing.T) {
	text := clean(t)[:100<<10]
	d, sc := detector(t), secret.New(secret.Options{})
	raw := []byte(text)
	var ours, theirs time.Duration
	for range 5 {
		ours += cpu(func() {
			for range 100 {
				sc.Mask(nil, raw, func(string) {})
			}
		}) / 100
		theirs += cpu(func() { d.DetectString(text) })
	}
	speed := func(d time.Duration) float64 { return 5 * float64(len(text)) / 1e6 / d.Seconds() }
	t.Logf("100 KB of clean text: %.0f MB/s, gitleaks %.2f MB/s, %.0f times (CPU time, by turns)",
		speed(ours), speed(theirs), float64(theirs)/float64(ours))
}

// clean is text that people wrote, about keys and tokens among other things, with
// no secret in it.
func clean(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "../../docs/*/*.md", "../../proxy/*.go", "../../auth/*.go", "../../proxy/*/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if _, changed := masked(line); !changed && all.Len() < 110<<10 {
					all.WriteString(line)
				}
			}
		}
	}
	return all.String()
}

// cpu returns what do takes of processors.
func cpu(do func()) time.Duration {
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	do()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
}

package guides

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcp-gateway/config"
	"mcp-gateway/test/stage"
)

// pages are the README and everything below docs.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("../..")
	found := map[string]string{}
	add := func(path string) {
		text, err := fs.ReadFile(root, path)
		if err != nil {
			t.Fatal(err)
		}
		found[path] = string(text)
	}
	add("README.md")
	add("deploy/upstreams.yaml")
	found["deploy/upstreams.yaml"] = "```yaml\n" + found["deploy/upstreams.yaml"] + "```\n"
	err := fs.WalkDir(root, "docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
			add(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// blocks returns the fenced blocks of a language.
func blocks(page, language string) []string {
	var found []string
	for i, part := range strings.Split("\n"+page, "\n```") {
		head, body, ok := strings.Cut(part, "\n")
		if i%2 == 1 && ok && head == language {
			found = append(found, body)
		}
	}
	return found
}

// commands returns what a page lets its reader type to this program, as words.
func commands(page string) [][]string {
	var found [][]string
	for _, block := range append(blocks(page, "console"), blocks(page, "sh")...) {
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			line = strings.Replace(line, "go run ./cmd/mcp-gateway", "mcp-gateway", 1)
			if rest, ok := strings.CutPrefix(line, "mcp-gateway "); ok {
				found = append(found, words(rest))
			}
		}
	}
	return found
}

// words splits a line as a shell does, up to a comment, a pipe or a redirection.
func words(line string) []string {
	var all []string
	var word strings.Builder
	var quote rune
	inside := false
	end := func() {
		if inside {
			all = append(all, word.String())
		}
		word.Reset()
		inside = false
	}
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
				continue
			}
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, inside = r, true
		case r == ' ' || r == '\t':
			end()
		case !inside && strings.ContainsRune("#|><&;", r):
			return all
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	end()
	return all
}

// TestDocumentedConfigurations holds that every upstreams.yaml in the docs is one.
// A key in the text is completed by the digest of one, and a certificate is there.
func TestDocumentedConfigurations(t *testing.T) {
	total := 0
	chain, key := stage.Certificate(t, 1)
	for path, page := range pages(t) {
		for _, block := range blocks(page, "yaml") {
			if !strings.HasPrefix(block, "# upstreams.yaml\n") {
				continue
			}
			total++
			dir := t.TempDir()
			for _, name := range regexp.MustCompile(`env:(\w+)`).FindAllStringSubmatch(block, -1) {
				t.Setenv(name[1], "what the reader has set")
			}
			text := strings.ReplaceAll(block, "<hex>", strings.Repeat("0123456789abcdef", 4))
			text = strings.ReplaceAll(text, "/etc/mcp-gateway/tls", dir)
			for name, text := range map[string]string{"upstreams.yaml": text, "exposure.yaml": "version: 1\n", "chain.pem": string(chain), "key.pem": string(key)} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := config.Load(filepath.Join(dir, "upstreams.yaml")); err != nil {
				t.Errorf("%s: %v\n%s", path, err, block)
			}
		}
	}
	if total == 0 {
		t.Error("no configuration found in the docs")
	}
}

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mcp-gateway/gateway"
)

// TestProblems holds the printed problems of bad files to what stands beside
// them. With UPDATE_GOLDEN set it writes them instead.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testProblems(t, file) })
	}
}

func testProblems(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "upstreams.yaml", string(a.Files[0].Data))
	_, err = Load(path)
	var problems gateway.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("err = %v", err)
	}
	got := strings.ReplaceAll(problems.Error(), filepath.Dir(path)+"/", "") + "\n"
	if strings.Contains(got, "sk-live") || strings.Contains(got, "hunter2") {
		t.Errorf("a secret is shown:\n%s", got)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		a.Files = append(a.Files[:1:1], txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(a.Files) != 2 || string(a.Files[1].Data) != got {
		t.Errorf("got:\n%s", got)
	}
}

package checks

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestReadReport(t *testing.T) {
	dir := t.TempDir()
	write := func(folder, text string) {
		path := filepath.Join(dir, folder)
		if err := errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(filepath.Join(path, "checks.json"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("server-tools-list-2026-11-30T03-58-05-271Z", `[
		{"id":"a","status":"SUCCESS"},{"id":"a","status":"FAILURE","errorMessage":"broken\n twice"},
		{"id":"b","status":"WARNING"},{"id":"c","status":"SKIPPED"},{"id":"d","status":"INFO"}]`)
	write("sse-retry-2026-11-30T03-58-05-271Z", `[{"id":"e","status":"SUCCESS"}]`)
	report, err := ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := report["tools-list"]
	for id, want := range map[string]Status{"a": Failure, "b": Warning, "c": Skipped, "d": Info, "e": Absent} {
		if got := list[id].Status(); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if list["a"].Message != "broken twice" || list.Passed() || !report["sse-retry"].Passed() || (Scenario{}).Passed() {
		t.Errorf("%+v", report)
	}
	write("results", `[]`)
	if _, err := ReadReport(dir); err == nil {
		t.Error("a folder of another name was read")
	}
}

func TestExpectedIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"unknown column": "version: 1\ncolumns: {other: [{why: x, checks: [a:b]}]}\n",
		"no reason":      "version: 1\ncolumns: {client: [{why: \" \", checks: [a:b]}]}\n",
		"no why":         "version: 1\ncolumns: {client: [{checks: [a:b]}]}\n",
		"no check id":    "version: 1\ncolumns: {client: [{why: x, checks: [a]}]}\n",
		"twice":          "version: 1\ncolumns: {client: [{why: x, checks: [\"a:b\"]}, {why: y, checks: [\"a:b\"]}]}\n",
		"unknown key":    "version: 1\ncolumns: {client: [{why: x, cheks: [a:b]}]}\n",
	} {
		path := filepath.Join(t.TempDir(), "expected.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadExpected(path, []string{"client"}); err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
}

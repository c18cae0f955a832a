package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"mcp-gateway/test/conformance/checks"
)

// learn writes required.yaml: every check that succeeds directly and not where
// nobody listens. A person reads the difference before committing it.
func (r *runner) learn(ctx context.Context) error {
	r.options.only = ""
	if err := r.baselines(ctx); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("# Every check that must succeed, by set and scenario: those that do when the\n" +
		"# suite runs against the reference itself, and do not when nobody listens.\n" +
		"# Written by `test/conformance/run.sh -learn`; read the difference.\nversion: 1\nsets:\n")
	for _, set := range slices.Sorted(maps.Keys(r.direct)) {
		unscored, err := r.unscored(set)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "  %q:\n", set)
		writeSet(&b, r.direct[set], r.dead[set], unscored)
	}
	return os.WriteFile(filepath.Join(r.options.lists, "required.yaml"), b.Bytes(), 0o644)
}

func writeSet(b *bytes.Buffer, direct, dead checks.Report, unscored map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(direct)) {
		var must []string
		for check, t := range direct[name] {
			if t.Status() == checks.Success && dead[name][check].Status() != checks.Success {
				must = append(must, check)
			}
		}
		if len(must) == 0 || !direct[name].Passed() {
			continue
		}
		fmt.Fprintf(b, "    %q:\n", name)
		if unscored[name] {
			b.WriteString("      scored: no\n")
		}
		b.WriteString("      checks:\n")
		for _, check := range slices.Sorted(slices.Values(must)) {
			fmt.Fprintf(b, "        - %s\n", check)
		}
	}
}

// notScored finds the scenarios that a frozen set runs for information only.
var notScored = regexp.MustCompile(`^  - scenario: (\S+)$`)

func (r *runner) unscored(set string) (map[string]bool, error) {
	names := map[string]bool{}
	text, err := os.ReadFile(filepath.Join(r.suite.Dir, "node_modules/@modelcontextprotocol/conformance/requirements", set+".yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil // the set is all of a revision
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if m := notScored.FindStringSubmatch(lines.Text()); m != nil {
			names[m[1]] = true
		}
	}
	return names, errors.Join(err, lines.Err())
}

package tests

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/rego/workbench"
)

// Opener opens the folder that a command is about, by its arguments, with the name
// under which problems show it.
type Opener func(args []string) (folder fs.FS, shown string, err error)

// Commands returns test, coverage and fmt.
func Commands(open Opener) []*cobra.Command {
	return []*cobra.Command{test(open), coverage(open), format()}
}

// testsFailed is the exit code of `opa test` for tests that fail.
const testsFailed = 2

func test(open Opener) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test [FOLDER]",
		Short: "Run the tests beside a policy",
		Long: "Run the tests beside a policy (files named *_test.rego, rules named test_…), with the library and the simple form as the gateway adds them. " +
			"Exit 0 if all pass, 1 on errors or if no test ran, 2 if a test fails or the coverage is below the threshold.",
		Args: cobra.MaximumNArgs(1),
	}
	run := cmd.Flags().StringP("run", "r", "", "only tests whose name matches this regular `expression`")
	threshold := cmd.Flags().Float64("threshold", 0, "fail if the tests cover less than this `per cent` of the policy")
	verbose := cmd.Flags().BoolP("verbose", "v", false, "show tests that pass as well")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, err := open.run(cmd, args, workbench.Options{Run: *run, Coverage: *threshold > 0})
		if err != nil {
			return err
		}
		t := &cli.Table{Columns: []string{"status", "test", "case", "at", "detail"}}
		failed := 0
		for _, o := range report.Outcomes {
			if !o.Passed() {
				failed++
			}
			if *verbose || !o.Passed() {
				t.Add(o.Status, o.Name, o.Case, o.Pos.String(), o.Detail)
			}
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%d tests, %d failed\n", len(report.Outcomes), failed)
		if len(t.Rows) > 0 || *format != "table" {
			if err := t.Write(cmd.OutOrStdout(), *format); err != nil {
				return err
			}
		}
		switch {
		case len(report.Outcomes) == 0:
			return &cli.Error{Code: cli.Failed, Text: "error: no test ran"}
		case failed > 0:
			return &cli.Error{Code: testsFailed}
		case report.Coverage < *threshold:
			return &cli.Error{Code: testsFailed, Text: fmt.Sprintf("error: the tests cover %.1f %%, less than %.1f %%", report.Coverage, *threshold)}
		}
		return nil
	}
	return cmd
}

// run runs the tests of the folder that is named.
func (open Opener) run(cmd *cobra.Command, args []string, o workbench.Options) (*workbench.Report, error) {
	if _, err := regexp.Compile(o.Run); err != nil {
		return nil, cli.Misused("--run: %v", err)
	}
	files, shown, err := open(args)
	if err != nil {
		return nil, err
	}
	return workbench.Test(cmd.Context(), files, shown, o)
}

func coverage(open Opener) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "coverage [FOLDER]",
		Short: "Show which lines of a policy its tests do not reach; exit 2 below the threshold",
		Args:  cobra.MaximumNArgs(1),
	}
	threshold := cmd.Flags().Float64("threshold", 0, "fail if the tests cover less than this `per cent`")
	format := cmd.Flags().StringP("output", "o", "table", cli.Formats)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		report, err := open.run(cmd, args, workbench.Options{Coverage: true})
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%d tests cover %.1f %%\n", len(report.Outcomes), report.Coverage)
		t := &cli.Table{Columns: []string{"at", "not reached"}}
		for _, u := range report.Uncovered {
			t.Add(u.Pos.String(), u.Text)
		}
		if len(t.Rows) > 0 || *format != "table" {
			if err := t.Write(cmd.OutOrStdout(), *format); err != nil {
				return err
			}
		}
		if report.Coverage < *threshold {
			return &cli.Error{Code: testsFailed, Text: fmt.Sprintf("error: less than %.1f %%", *threshold)}
		}
		return nil
	}
	return cmd
}

func format() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fmt PATH…",
		Short: "Write Rego files as `opa fmt` would",
		Long:  "Write Rego files as `opa fmt` would: to standard output, or in place with --write. With --list only the names of files that would change are printed; with --fail they make the command fail.",
		Args:  cobra.MinimumNArgs(1),
	}
	write := cmd.Flags().BoolP("write", "w", false, "write the files in place")
	list := cmd.Flags().BoolP("list", "l", false, "list the files that would change")
	fail := cmd.Flags().Bool("fail", false, "exit 1 if a file would change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		changed := 0
		for _, path := range args {
			err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() || !strings.HasSuffix(name, ".rego") {
					return err
				}
				differs, err := formatFile(cmd, name, *write, *list)
				if differs {
					changed++
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if changed > 0 && *fail {
			return &cli.Error{Code: cli.Failed}
		}
		return nil
	}
	return cmd
}

// formatFile writes one file as it is asked for, and says whether it changes.
func formatFile(cmd *cobra.Command, name string, write, list bool) (bool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	formatted, err := workbench.Format(name, text)
	if err != nil {
		return false, err
	}
	differs := !bytes.Equal(text, formatted)
	switch {
	case list && differs:
		fmt.Fprintln(cmd.OutOrStdout(), name)
	case !list && !write:
		_, err = cmd.OutOrStdout().Write(formatted)
	}
	if write && differs {
		err = os.WriteFile(name, formatted, 0o644)
	}
	return differs, err
}

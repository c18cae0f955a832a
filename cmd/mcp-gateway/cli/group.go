package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-gateway/config/form"
)

// Group is a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Misused("unknown command %q for %q; try --help", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}}
	c.AddCommand(commands...)
	return c
}

// OneOf refuses a flag's value that would match nothing.
func OneOf[T ~string](flag, value string, known ...T) error {
	if value == "" || slices.Contains(known, T(value)) {
		return nil
	}
	words := make([]string, len(known))
	for i, w := range known {
		words[i] = string(w)
	}
	return Misused("%s: %q is none of %s%s", flag, value, Joined(known), near(value, words))
}

// near names the known word that a wrong one is near to, if there is one.
func near(value string, known []string) string {
	if hint := form.DidYouMean(value, known); strings.HasPrefix(hint, "; did") {
		return hint
	}
	return ""
}

// Joined renders reasons and scopes.
func Joined[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = string(v)
	}
	return strings.Join(texts, ",")
}

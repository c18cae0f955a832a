package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Written refuses flags whose value, or what follows "=" in it, is nothing but dots: what
// a proposed command leaves open is for a person to write, and is nobody's word.
func Written(cmd *cobra.Command) error {
	var open []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			_, after, assigned := strings.Cut(v, "=")
			if dots(v) || assigned && dots(after) {
				open = append(open, "--"+f.Name+" "+v)
			}
		}
	})
	if open == nil {
		return nil
	}
	return Misused("what the command leaves open is still to be written: %s; nothing was written", strings.Join(open, ", "))
}

// dots says whether a text is nothing but dots.
func dots(text string) bool {
	return strings.ContainsAny(text, ".…") && strings.Trim(text, ".… \t") == ""
}

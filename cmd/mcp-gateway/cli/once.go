package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// OnceVar is a flag of one word that may be given once: the last of several would answer
// another question than was asked.
func OnceVar(fl *pflag.FlagSet, at *string, name, usage string) {
	fl.Var(&once{at: at}, name, usage)
}

type once struct {
	at    *string
	given bool
}

// String implements pflag.Value.
func (o *once) String() string {
	if o.at == nil {
		return ""
	}
	return *o.at
}

// Type implements pflag.Value.
func (o *once) Type() string { return "string" }

// Set implements pflag.Value.
func (o *once) Set(v string) error {
	if o.given {
		return errors.New("it may be given once")
	}
	*o.at, o.given = v, true
	return nil
}

package cli

import "fmt"

// Exit codes, for scripts.
const (
	OK       = 0
	Failed   = 1 // something went wrong while it ran
	Usage    = 2 // wrong usage or configuration
	Differs  = 3 // a difference was asked for and found
	BadChain = 4 // the journal does not verify
)

// Error carries an exit code out of a command; its text may be empty.
type Error struct {
	Code int
	Text string
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Misused returns the error of wrong usage.
func Misused(format string, args ...any) error {
	return &Error{Usage, "error: " + fmt.Sprintf(format, args...)}
}

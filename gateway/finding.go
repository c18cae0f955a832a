package gateway

import (
	"fmt"
	"strings"
)

// Pos is a place in a file; lines and columns count from 1, 0 means unknown.
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns "file:line:col", without what is unknown.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
}

// Problem is one fault in something that a person wrote: configuration,
// exposure records, policy.
type Problem struct {
	Pos     Pos
	Code    string // stable, such as "unknown_key"
	Message string // one sentence, with the remedy where there is one
	Excerpt string // the source around Pos with a caret, may be empty
}

// Problems are all the faults of one run, in the order of their positions.
type Problems []Problem

// Error implements error: one "file:line:col: code: message" a problem, each
// followed by its excerpt.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s: %s", p.Pos, p.Code, p.Message)
		if p.Excerpt != "" {
			b.WriteString("\n" + strings.TrimRight(p.Excerpt, "\n"))
		}
	}
	return b.String()
}

// Severity says what a finding does by default.
type Severity string

// The severities.
const (
	Info     Severity = "info"     // shown to the reviewer
	Warning  Severity = "warning"  // holds back a first approval unless acknowledged
	Critical Severity = "critical" // withholds the tool
)

// Finding is something suspicious in upstream text or a definition. Code is
// stable; Path is a JSON Pointer to where it was found.
type Finding struct {
	Code     string
	Path     string
	Severity Severity
	Excerpt  string // the words that gave it, bounded; upstream text: for a reviewer's eyes, escaped, and nowhere else
}

// Violation is one way in which a value breaks its schema: the JSON Pointer
// into the value, and the schema keyword. It holds no value.
type Violation struct {
	Pointer string
	Keyword string
}

package form

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mcp-gateway/gateway"
)

// maxExcerpt is the length, in characters, at which a source line is cut.
const maxExcerpt = 160

// mask hides a value in excerpts: from pos to the end of its line, since where
// a value ends is not worth knowing, and the lines that follow of a long one.
type mask struct {
	pos   gateway.Pos
	lines int
	text  string // shown instead
}

// secretKey finds, in a line that could not be parsed, a key that sounds as if
// a secret followed.
var secretKey = regexp.MustCompile(`(?i)(token|secret|passw|bearer|credential|key|sha256)[a-z_\-]*["']?\s*[:=]\s*`)

// excerpt returns the line at pos with a caret below its column:
//
//	3 | listen: {mpc: 127.0.0.1:8080}
//	  |          ^
func (d *Document) excerpt(pos gateway.Pos) string {
	if pos.Line < 1 || pos.Line > len(d.lines) {
		return ""
	}
	line := []rune(strings.ReplaceAll(d.masked(pos.Line), "\t", " "))
	if len(line) > maxExcerpt {
		line = append(line[:maxExcerpt:maxExcerpt], '…')
	}
	for i, r := range line {
		if isControl(r) || r == utf8.RuneError {
			line[i] = '?'
		}
	}
	number := fmt.Sprintf("%4d", pos.Line)
	out := number + " | " + string(line)
	if pos.Col > 0 && pos.Col <= len(line)+1 {
		out += "\n" + strings.Repeat(" ", len(number)) + " | " + strings.Repeat(" ", pos.Col-1) + "^"
	}
	return out + "\n"
}

func (d *Document) masked(number int) string {
	text := d.lines[number-1]
	if !d.readable {
		if at := secretKey.FindStringIndex(text); at != nil {
			text = text[:at[1]] + "[secret]"
		}
		return text
	}
	line := []rune(text)
	for _, m := range d.masks {
		switch {
		case m.pos.Line == number && m.pos.Col >= 1 && m.pos.Col <= len(line):
			line = append(line[:m.pos.Col-1], []rune(m.text)...)
		case number > m.pos.Line && number < m.pos.Line+m.lines:
			line = []rune(m.text)
		}
	}
	return string(line)
}

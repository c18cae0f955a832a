package imports

import "bytes"

// plain turns a host's file into JSON of the same length: comments, and commas before the
// end of a list or an object, become blanks, so that every place stays where it was. What
// it does not understand it leaves for the parser to refuse.
func plain(text []byte) []byte {
	out := bytes.Clone(text)
	comma, last := -1, byte(0) // the last comma, where nothing came after it; what came last
	for i := 0; i < len(out); i++ {
		c, at := out[i], i
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		case '/':
			if i = blank(out, i); out[at] == ' ' {
				continue
			}
		case '"':
			i = closing(out, i)
		case '}', ']':
			if comma >= 0 {
				out[comma] = ' '
			}
		}
		comma = -1
		if c == ',' && last != '{' && last != '[' && last != ',' {
			comma = at
		}
		last = c
	}
	return out
}

// closing returns where the text that begins at i ends.
func closing(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// blank blanks the comment that begins at i, but for its line breaks, and returns where it
// ends; what begins there is none, or has no end, stays.
func blank(text []byte, i int) int {
	end := -1
	switch rest := text[i:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		if end = bytes.IndexAny(rest, "\r\n"); end < 0 {
			end = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 4
		}
	}
	if end < 0 {
		return i
	}
	for j := i; j < i+end; j++ {
		if text[j] != '\n' && text[j] != '\r' {
			text[j] = ' '
		}
	}
	return i + end - 1
}

// place returns the line and the column, from 1 and in bytes, of an offset.
func place(text []byte, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

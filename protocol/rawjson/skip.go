package rawjson

import "bytes"

// The skippers find where things end in checked JSON. They never look past raw
// and never go back, whatever the bytes are.

// SkipSpace returns where the white space at i ends (RFC 8259, 2).
func SkipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// skipSeparator skips white space and one comma.
func skipSeparator(raw []byte, i int) int {
	if i = SkipSpace(raw, i); i < len(raw) && raw[i] == ',' {
		i = SkipSpace(raw, i+1)
	}
	return i
}

// skipName returns the end of the quoted name at i, or i if there is none.
func skipName(raw []byte, i int) int {
	if i >= len(raw) || raw[i] != '"' {
		return i
	}
	if end := SkipString(raw, i); end-i >= 2 {
		return end
	}
	return i
}

// skipColon returns where the value behind the name that ends at i begins, or i
// if no colon follows.
func skipColon(raw []byte, i int) int {
	if at := SkipSpace(raw, i); at < len(raw) && raw[at] == ':' {
		return SkipSpace(raw, at+1)
	}
	return i
}

// skipClose skips the closing bracket at i, if it is there.
func skipClose(raw []byte, i int, bracket byte) int {
	if i < len(raw) && raw[i] == bracket {
		return i + 1
	}
	return i
}

// SkipValue returns the end of the value that begins at i.
func SkipValue(raw []byte, i int) int {
	if i >= len(raw) {
		return len(raw)
	}
	switch raw[i] {
	case '"':
		return SkipString(raw, i)
	case '{', '[':
		return skipNested(raw, i)
	default:
		return SkipScalar(raw, i)
	}
}

// SkipString returns the end of the string whose opening quote is at i: behind
// the first quote after it that an even number of backslashes precedes. A run
// of backslashes is counted for one quote only, so the work is linear.
func SkipString(raw []byte, i int) int {
	for j := i + 1; j < len(raw); j++ {
		n := bytes.IndexByte(raw[j:], '"')
		if n < 0 {
			break
		}
		j += n
		k := j
		for raw[k-1] == '\\' && k-1 > i {
			k--
		}
		if (j-k)%2 == 0 {
			return j + 1
		}
	}
	return len(raw)
}

// skipNested returns the end of the object or array that begins at i.
func skipNested(raw []byte, i int) int {
	for depth := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = SkipString(raw, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
	return len(raw)
}

// SkipScalar returns the end of the number, true, false or null at i.
func SkipScalar(raw []byte, i int) int {
	for i < len(raw) {
		switch raw[i] {
		case ',', ':', ']', '}', '{', '[', '"', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

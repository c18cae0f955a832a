package secret

// assigned returns where the value begins that is assigned to a name of which the
// part before i is known: the rest of the name, at most a few quotes and spaces,
// an operator or a comma, quotes and spaces again. It is the same for INI, JSON,
// YAML, XML, shells and most languages.
func assigned(s []byte, i int) (int, bool) {
	rest := func(most int, in func(byte) bool) int {
		n := 0
		for n < most && i < len(s) && in(s[i]) {
			i, n = i+1, n+1
		}
		return n
	}
	rest(24, func(c byte) bool { return word(c) || c == '.' || c == '-' || c == ' ' || c == '\t' })
	rest(4, func(c byte) bool { return c == '"' || c == '\'' || c == '`' || c == ']' || c == '\\' || space(c) })
	if rest(4, func(c byte) bool { return c == '=' || c == ':' || c == '>' || c == ',' || c == '?' || c == '|' }) == 0 {
		return 0, false
	}
	rest(12, func(c byte) bool { return c == '"' || c == '\'' || c == '`' || c == '\\' || c == '=' || space(c) })
	return i, i < len(s)
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

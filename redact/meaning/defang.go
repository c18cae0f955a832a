package meaning

import "bytes"

// Defang appends s to out with the addresses in it written so that no reader
// follows or fetches them: https://a.example becomes hxxps[://]a[.]example. It
// reports whether there were any.
func Defang(out, s []byte) ([]byte, bool) {
	found := false
	for {
		i := bytes.Index(s, []byte("://"))
		if i < 0 {
			return append(out, s...), found
		}
		start := i
		for start > 0 && s[start-1]|0x20 >= 'a' && s[start-1]|0x20 <= 'z' {
			start--
		}
		scheme := bytes.ToLower(s[start:i])
		out = append(out, s[:start]...)
		if string(scheme) != "http" && string(scheme) != "https" {
			out, s = append(append(out, s[start:i]...), "://"...), s[i+3:]
			continue
		}
		found = true
		out = append(append(append(out, "hxxp"...), scheme[4:]...), "[://]"...)
		s = s[i+3:]
		end := 0
		for end < len(s) && s[end] > ' ' && bytes.IndexByte([]byte(`/?#"'<>)]`), s[end]) < 0 {
			end++
		}
		out = append(out, bytes.ReplaceAll(s[:end], []byte("."), []byte("[.]"))...)
		s = s[end:]
	}
}

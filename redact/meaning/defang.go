package meaning

import (
	"bytes"
	"html"
	"strings"
)

// Defang appends s to out with the addresses in it written so that no reader
// follows or fetches them: https://a.example becomes hxxps[://]a[.]example; likewise
// any other scheme, //a.example, and www.a.example. It reports whether there were any.
func Defang(out, s []byte) ([]byte, bool) {
	d := defanger{in: marks(s), out: out}
	for i := 0; i < len(d.in); {
		i = d.step(i)
	}
	if d.done == 0 {
		return append(out, s...), false
	}
	return append(d.out, d.in[d.done:]...), true
}

// marks decodes HTML's escapes of the marks by which an address is known.
func marks(s []byte) []byte {
	if !begins(s, '&', isEntity) {
		return s
	}
	out := make([]byte, 0, len(s))
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(out, s...)
		}
		out, s = append(out, s[:i]...), s[i:]
		n := 1
		for n < len(s) && n < longestEntity && (s[n] == '#' || isEntity(s[n]) || isHex(s[n])) {
			n++
		}
		if n < len(s) && s[n] == ';' {
			n++
		}
		if mark := html.UnescapeString(string(s[:n])); len(mark) == 1 && strings.Contains(`:/\.`, mark) {
			out, s = append(out, mark...), s[n:]
		} else {
			out, s = append(out, '&'), s[1:]
		}
	}
}

// longestEntity is the length up to which a mark's escape is looked at, &period; and
// numbers with some zeros among them.
const longestEntity = 16

// defanger is a text of which in[:done] stands in out.
type defanger struct {
	in, out []byte
	done    int
}

// step looks at the byte at i and returns where to look next.
func (d *defanger) step(i int) int {
	switch c := d.in[i]; {
	case c == ':':
		return d.scheme(i)
	case isSlash(c):
		return d.relative(i)
	case c|0x20 == 'w' && bytes.EqualFold(d.in[i:min(i+4, len(d.in))], []byte("www.")) && isWord(d.at(i+4)) && !isName(d.at(i-1)):
		d.emit(i)
		return d.host(i)
	}
	return i + 1
}

// scheme spoils an address whose colon stands at i, as word:// and, where readers take
// less for as much, https:/ or https:\\.
func (d *defanger) scheme(i int) int {
	end := slashes(d.in, i+1)
	run := d.in[i+1 : end]
	start := i
	for start > d.done && isScheme(d.in[start-1]) {
		start--
	}
	full := bytes.HasPrefix(run, []byte("//"))
	if start == i || !full && !(isSpecial(d.in[start:i]) && (len(run) > 1 || bytes.IndexByte(run, '/') >= 0)) {
		return i + 1
	}
	d.emit(start)
	name := d.in[start:i]
	if lower := bytes.ToLower(name); string(lower) == "http" || string(lower) == "https" {
		name = append([]byte("hxxp"), lower[4:]...)
	}
	d.out = append(d.out, name...)
	return d.mark(i, end)
}

// mark writes a colon and the slashes after it apart from what stands around them. A
// backslash may begin an escape, which stays whole.
func (d *defanger) mark(colon, end int) int {
	if bytes.IndexByte(d.in[colon:end], '\\') >= 0 {
		d.out = append(append(d.out, "[:]"...), d.in[colon+1:end]...)
	} else {
		d.out = append(append(append(d.out, '['), d.in[colon:end]...), ']')
	}
	return d.host(end)
}

// relative spoils an address without a scheme, such as //a.example or \\a.example.
func (d *defanger) relative(i int) int {
	end := slashes(d.in, i)
	before, run := d.at(i-1), d.in[i:end]
	plain := bytes.IndexByte(run, '\\') < 0
	if len(run) < 2 || isName(before) || before == ']' || before == ':' && !plain || !isHost(d.in[end:hostEnd(d.in, end)]) {
		return end
	}
	d.emit(i)
	if plain {
		d.out = append(append(append(d.out, '['), run...), ']')
	} else {
		d.out = append(append(d.out, "[]"...), run...)
	}
	return d.host(end)
}

// host writes the host that begins at i with its dots apart, and what it may be to
// readers who take it for a scheme.
func (d *defanger) host(i int) int {
	end := hostEnd(d.in, i)
	d.out = append(d.out, bytes.ReplaceAll(d.in[i:end], []byte("."), []byte("[.]"))...)
	d.done = end
	if d.at(end) == ':' && isSlash(d.at(end+1)) {
		return d.mark(end, slashes(d.in, end+1))
	}
	return end
}

// emit copies what stands before i.
func (d *defanger) emit(i int) { d.out = append(d.out, d.in[d.done:i]...) }

// at returns the byte at i, 0 where there is none.
func (d *defanger) at(i int) byte {
	if i < 0 || i >= len(d.in) {
		return 0
	}
	return d.in[i]
}

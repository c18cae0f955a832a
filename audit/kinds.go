package audit

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"mcp-gateway/audit/shape"
)

// timeLayout is RFC 3339 in UTC with all nine digits of the fraction, so that
// the texts sort as the times do.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// How many reasons and classes of counts one event may hold, so that its size
// is bounded.
const (
	maxReasons = 8
	maxCounts  = 16
)

func quoteKey(name string) string { return `,"` + name + `":` }

// word is a string of a shape; one that has it not is written as fallback.
func word[T ~string](name string, fits func(string) bool, fallback string, at func(*Event) *T) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			s := string(*at(e))
			if s == "" {
				return dst
			}
			if !fits(s) {
				s = fallback
			}
			dst = append(dst, '"')
			dst = append(dst, s...)
			return append(dst, '"')
		},
		get: func(e *Event, v []byte) bool {
			s, ok := shape.Unquote(v)
			*at(e) = T(s)
			return ok
		},
	}
}

// number is an unsigned integer; 0 is not written.
func number[T uint32 | uint64](name string, at func(*Event) *T) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			if *at(e) == 0 {
				return dst
			}
			return strconv.AppendUint(dst, uint64(*at(e)), 10)
		},
		get: func(e *Event, v []byte) bool {
			n, err := strconv.ParseUint(string(v), 10, 64)
			*at(e) = T(n)
			return err == nil
		},
	}
}

func identity(name string, at func(*Event) *ID) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			if at(e).IsZero() {
				return dst
			}
			return append(at(e).append(append(dst, '"')), '"')
		},
		get: func(e *Event, v []byte) bool {
			s, ok := shape.Unquote(v)
			if ok {
				*at(e), ok = ParseID(string(s))
			}
			return ok
		},
	}
}

func hash(name string, at func(*Event) *Hash) field {
	return hexadecimal(name, func(e *Event) []byte { return at(e)[:] })
}

func trace(name string, at func(*Event) *Trace) field {
	return hexadecimal(name, func(e *Event) []byte { return at(e)[:] })
}

// hexadecimal is an array of bytes, written as lower-case hex unless all are 0.
func hexadecimal(name string, at func(*Event) []byte) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			b := at(e)
			if len(bytes.Trim(b, "\x00")) == 0 {
				return dst
			}
			return append(hex.AppendEncode(append(dst, '"'), b), '"')
		},
		get: func(e *Event, v []byte) bool {
			s, ok := shape.Unquote(v)
			b := at(e)
			if !ok || len(s) != 2*len(b) || !shape.LowerHex(s) {
				return false
			}
			for i := range b {
				b[i] = unhex(s[2*i])<<4 | unhex(s[2*i+1])
			}
			return true
		},
	}
}

func moment(name string, at func(*Event) *time.Time) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			if at(e).IsZero() {
				return dst
			}
			return append(appendTime(append(dst, '"'), at(e).UTC()), '"')
		},
		get: func(e *Event, v []byte) bool {
			s, ok := shape.Unquote(v)
			if !ok {
				return false
			}
			t, err := time.Parse(timeLayout, string(s))
			*at(e) = t
			return err == nil
		},
	}
}

// appendTime appends t, in UTC, in timeLayout. Formatting by RFC3339 has a fast
// path in package time that a layout with a fraction has not.
func appendTime(dst []byte, t time.Time) []byte {
	dst = t.AppendFormat(dst, time.RFC3339)
	dst[len(dst)-1] = '.' // where the Z stood
	for unit := 100_000_000; unit > 0; unit /= 10 {
		dst = append(dst, '0'+byte(t.Nanosecond()/unit%10))
	}
	return append(dst, 'Z')
}

// micros is a duration in whole µs; less than one is not written.
func micros(name string, at func(*Event) *time.Duration) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			if us := at(e).Microseconds(); us > 0 {
				return strconv.AppendInt(dst, us, 10)
			}
			return dst
		},
		get: func(e *Event, v []byte) bool {
			n, err := strconv.ParseInt(string(v), 10, 64)
			*at(e) = time.Duration(n) * time.Microsecond
			return err == nil && n <= math.MaxInt64/int64(time.Microsecond)
		},
	}
}

// list is an array of words. What is one too many is told by the word more; a
// word that has not its shape is written as "invalid", as a fault "/ invalid".
func list[T ~string](name string, fits func(string) bool, more T, at func(*Event) *[]T) field {
	fallback := T(invalid)
	if !fits(invalid) {
		fallback = "/ invalid"
	}
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			open := byte('[')
			for i, r := range *at(e) {
				if i == maxReasons {
					r = more
				}
				if !fits(string(r)) {
					r = fallback
				}
				dst = append(dst, open, '"')
				dst = append(dst, r...)
				dst = append(dst, '"')
				open = ','
				if i == maxReasons {
					break
				}
			}
			if open == '[' {
				return dst
			}
			return append(dst, ']')
		},
		get: func(e *Event, v []byte) bool {
			if len(v) < 2 || v[0] != '[' {
				return false
			}
			for item := range bytes.SplitSeq(v[1:len(v)-1], []byte(",")) {
				s, ok := shape.Unquote(item)
				if !ok {
					return false
				}
				*at(e) = append(*at(e), T(s))
			}
			return true
		},
	}
}

// counts is an object of classes and numbers. What is not of a class's shape,
// comes twice or is one too many is added up under "other", which comes last.
func counts(name string, at func(*Event) *[]Count) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			list, rest, open := *at(e), uint64(0), byte('{')
			for i, c := range list {
				if i >= maxCounts-1 || !shape.Word(c.Class) || c.Class == "other" || seen(list[:i], c.Class) {
					rest += uint64(c.N)
					continue
				}
				dst = appendCount(append(dst, open), c.Class, uint64(c.N))
				open = ','
			}
			if rest > 0 {
				dst = appendCount(append(dst, open), "other", min(rest, math.MaxUint32))
				open = ','
			}
			if open == '{' {
				return dst
			}
			return append(dst, '}')
		},
		get: func(e *Event, v []byte) bool {
			return eachCount(v, func(class string, n uint32) bool {
				*at(e) = append(*at(e), Count{class, n})
				return true
			})
		},
	}
}

func seen(list []Count, class string) bool {
	for _, c := range list {
		if c.Class == class {
			return true
		}
	}
	return false
}

func stages(name string, at func(*Event) *Stages) field {
	return field{
		key: quoteKey(name),
		put: func(dst []byte, e *Event) []byte {
			open := byte('{')
			for i, us := range at(e) {
				if us > 0 {
					dst = appendCount(append(dst, open), stageNames[i], uint64(us))
					open = ','
				}
			}
			if open == '{' {
				return dst
			}
			return append(dst, '}')
		},
		get: func(e *Event, v []byte) bool {
			return eachCount(v, func(class string, n uint32) bool {
				s, ok := StageOf(class)
				if ok {
					at(e)[s] = n
				}
				return ok
			})
		},
	}
}

func appendCount(dst []byte, class string, n uint64) []byte {
	dst = append(dst, '"')
	dst = append(dst, class...)
	dst = append(dst, '"', ':')
	return strconv.AppendUint(dst, n, 10)
}

// eachCount reads an object of words and numbers.
func eachCount(v []byte, yield func(class string, n uint32) bool) bool {
	if len(v) < 2 || v[0] != '{' {
		return false
	}
	for item := range bytes.SplitSeq(v[1:len(v)-1], []byte(",")) {
		key, value, _ := bytes.Cut(item, []byte(":"))
		class, ok := shape.Unquote(key)
		n, err := strconv.ParseUint(string(value), 10, 32)
		if !ok || err != nil || !yield(string(class), uint32(n)) {
			return false
		}
	}
	return true
}

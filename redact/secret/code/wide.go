package code

import "bytes"

// Wide is a text of two bytes a character that stands among bytes, as far as one of the
// two is zero.
type Wide struct {
	From, To int
	High     bool   // the byte that is zero comes first
	Narrow   []byte // the other one of each
}

// shortest is how many characters make a text.
const shortest = 8

// NextWide returns the next such text at or after i; From is -1 if there is none.
func NextWide(s []byte, i int) Wide {
	for i < len(s) {
		zero := index(s, i, 0)
		if zero < 0 {
			break
		}
		from := max(i, zero-1)
		low, high := pairs(s, from, 1), pairs(s, zero, 0)
		switch {
		case max(low, high) < shortest:
		case low == high: // a byte more stands before it or behind: it belongs to it or not
			if zero%2 == 1 {
				return wide(s, from, low+1, 1)
			}
			before := min(1, (zero-i)/2)
			return wide(s, zero-2*before, high+before, 0)
		case low > high:
			return wide(s, from, low, 1)
		default:
			return wide(s, zero, high, 0)
		}
		i = zero + 1
	}
	return Wide{From: -1, To: len(s)}
}

// pairs counts the characters from i on whose byte at zero, 0 or 1, is zero while the
// other is not.
func pairs(s []byte, i, zero int) (n int) {
	for ; i+1 < len(s) && s[i+zero] == 0 && s[i+1-zero] != 0; i += 2 {
		n++
	}
	return n
}

func wide(s []byte, from, n, zero int) Wide {
	n = min(n, (len(s)-from+zero)/2) // of the last one the zero may be missing
	w := Wide{From: from, To: min(len(s), from+2*n), High: zero == 0, Narrow: make([]byte, n)}
	for i := range n {
		w.Narrow[i] = s[from+2*i+1-zero]
	}
	return w
}

// HasWide says whether there may be one.
func HasWide(s []byte) bool { return bytes.IndexByte(s, 0) >= 0 }

package skim

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// Width is the length of a key in bytes.
const Width = 4

// Reach is how far from the beginning of a literal its key may stand.
const Reach = 8

// A Table is a set of keys of four bytes, of which letters count in either case; each
// stands so far from the beginning of a literal. Of each, three neighbouring bytes are
// looked up, from the first or from the second byte on, so that whichever key begins
// at an even or an odd place is met by a look at every other place; only then all
// four are. The zero value holds none.
type Table struct {
	threes [1 << threeBits]uint8 // all bits set for what may be of a key
	fours  [1 << fourBits]uint16 // bit n is set where a literal may begin n bytes before
}

const (
	threeBits = 17
	fourBits  = 17
	factor    = 0x9E3779B1 // of the hashes (Knuth, 6.4)
	threeBy   = 32 - threeBits
	fourBy    = 32 - fourBits

	each = 0x0101010101010101 // a 1 for each byte of a word
	fold = 0x20 * each        // letters of both cases are alike with it
)

// Folded is how a byte counts: letters of both cases alike.
func Folded(c byte) byte { return c | 0x20 }

// digits counts digits, and the signs behind them in ASCII, as one.
func digits(w uint64) uint64 {
	high := (w>>4)&(0x0F*each) ^ 3*each     // 0 for what counts as a digit
	other := (high + 0x7F*each) >> 7 & each // 1 for what does not
	return w & (other<<4 - other | 0xF0*each)
}

func three(w uint64) uint32 { return uint32(w) << 8 * factor >> threeBy }

func four(w uint64) uint32 { return uint32(digits(w|fold)) * factor >> fourBy }

// Add adds all keys of which each byte is one of those given for its place, for a
// literal that begins back bytes before, at most Reach; no bytes for a place stand for
// every byte.
func (t *Table) Add(key [Width][]byte, back int) {
	if len(key[0]) == 1 && len(key[1]) == 1 && len(key[2]) == 1 && len(key[3]) == 1 { // as most are
		w := fold | uint64(key[0][0]) | uint64(key[1][0])<<8 | uint64(key[2][0])<<16 | uint64(key[3][0])<<24
		t.threes[three(w)], t.threes[three(w>>8)] = 0xFF, 0xFF
		t.fours[four(w)] |= 1 << back
		return
	}
	var folded, counted [Width][]byte
	for i, bytes := range key {
		folded[i] = distinct(bytes, Folded)
		counted[i] = distinct(bytes, func(c byte) byte { return byte(digits(uint64(Folded(c)))) })
	}
	for w := range words(folded[0], folded[1], folded[2]) {
		t.threes[three(w)] = 0xFF
	}
	for w := range words(folded[1], folded[2], folded[3]) {
		t.threes[three(w)] = 0xFF
	}
	for w := range words(counted[0], counted[1], counted[2], counted[3]) {
		t.fours[four(w)] |= 1 << back
	}
}

// words yields all words of which each byte is one of those given for its place.
func words(places ...[]byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if len(places) == 0 {
			yield(0)
			return
		}
		for rest := range words(places[1:]...) {
			for _, c := range places[0] {
				if !yield(rest<<8 | uint64(c)) {
					return
				}
			}
		}
	}
}

// distinct returns bytes as they count, each once; those of all bytes for none.
func distinct(bytes []byte, as func(byte) byte) []byte {
	var seen [256]bool
	for c := range 256 {
		if len(bytes) == 0 {
			seen[as(byte(c))] = true
		}
	}
	for _, c := range bytes {
		seen[as(c)] = true
	}
	var out []byte
	for c, is := range seen {
		if is {
			out = append(out, byte(c))
		}
	}
	return out
}

// Next returns the first place at or after i where a key may begin, and how far
// before it literals may: n bytes, where bit n is set. It returns len(s) if there is
// none.
func (t *Table) Next(s []byte, i int) (place int, back uint16) {
	const step = 12 // six looks at two loads
	j := i
	for ; j+step+4 <= len(s); j += step {
		v, w := binary.LittleEndian.Uint64(s[j:])|fold, binary.LittleEndian.Uint64(s[j+6:])|fold
		hits := t.threes[three(v)]&1 | t.threes[three(v>>16)]&2 | t.threes[three(v>>32)]&4 |
			t.threes[three(w)]&8 | t.threes[three(w>>16)]&16 | t.threes[three(w>>32)]&32
		for ; hits != 0; hits &= hits - 1 {
			at := j + 2*bits.TrailingZeros8(hits)
			if place, back = t.around(s, i, at); back != 0 {
				return place, back
			}
		}
	}
	for ; j+3 <= len(s); j += 2 {
		if place, back = t.around(s, i, j); back != 0 {
			return place, back
		}
	}
	return len(s), 0
}

// around looks for a key that begins at j or right before it.
func (t *Table) around(s []byte, i, j int) (place int, back uint16) {
	for place = max(i, j-1); place <= j && place+Width <= len(s); place++ {
		if back = t.fours[four(uint64(binary.LittleEndian.Uint32(s[place:])))]; back != 0 {
			return place, back
		}
	}
	return 0, 0
}

// Rarest returns where in a literal the four bytes begin that texts hold least often,
// within Reach.
func Rarest(literal string) int {
	best, least := 0, 0.0
	for i := 0; i <= Reach && i+Width <= len(literal); i++ {
		a, b, c, d := common(literal[i]), common(literal[i+1]), common(literal[i+2]), common(literal[i+3])
		if often := b * c * (a + d); i == 0 || often < least {
			best, least = i, often
		}
	}
	return best
}

// common is about how often a byte occurs among a thousand of prose and code.
func common(c byte) float64 {
	const letters = "etaoinsrhldcumwfgypbvkjxqz"
	perMille := [len(letters)]float64{127, 91, 82, 75, 70, 67, 63, 60, 61, 43, 40, 28, 28, 24, 24, 22, 20, 20, 19, 15, 10, 8, 2, 2, 1, 1}
	for i := range len(letters) {
		if letters[i] == Folded(c) {
			return perMille[i]
		}
	}
	return 20
}

package secret

import (
	"math/bits"

	"mcp-gateway/redact/skim"
)

// filter finds places where a literal may stand by four bytes, of which letters
// count in either case and digits as one. The text is skimmed for them; where they
// may stand, a bit for each hash of such four says whether any literal begins so.
type filter struct {
	class [256]uint8 // 6 bits for each byte; 0 = in no literal
	bits  [1 << (hashBits - 5)]uint32
	slots map[uint32][]uint16 // rules by the four classes that their literals begin with

	skim skim.Table // for the four bytes of each literal that are rarest
}

const (
	hashBits  = 17
	keyLength = skim.Width
)

// symbols are the bytes beside letters and digits that literals may begin with.
const symbols = `-_.:/=+~|@<"`

func newFilter(rules []rule) *filter {
	f := &filter{slots: make(map[uint32][]uint16)}
	for i := range 26 {
		f.class['a'+i], f.class['A'+i] = uint8(1+i), uint8(1+i)
	}
	for i := range 10 {
		f.class['0'+i] = 27
	}
	for i := range len(symbols) {
		f.class[symbols[i]] = uint8(28 + i)
	}
	for n := range rules {
		for _, key := range rules[n].keys() {
			f.add(key, uint16(n))
			f.skimFor(key, rules[n].begins != nil)
		}
	}
	return f
}

// skimFor has text skimmed for a literal, or for what one begins with, where a digit
// stands for any.
func (f *filter) skimFor(literal string, begins bool) {
	var key [skim.Width][]byte
	at := skim.Rarest(literal)
	for i, c := range []byte(literal[at:]) {
		if i == len(key) {
			break
		}
		key[i] = []byte{c}
		if begins && c == '0' {
			key[i] = []byte("0123456789")
		}
	}
	f.skim.Add(key, at)
}

// add notes that rule n may stand where text begins with key, of which only the
// first four bytes matter; a shorter one may go on with anything.
func (f *filter) add(key string, n uint16) {
	k := uint32(0)
	for i := range min(len(key), keyLength) {
		k = k<<6 | uint32(f.class[key[i]])
	}
	if len(key) >= keyLength {
		f.set(k, n)
		return
	}
	for c := range uint32(1 << 6) {
		f.set(k<<6|c, n)
	}
}

func (f *filter) set(k uint32, n uint16) {
	if rules := f.slots[k]; len(rules) > 0 && rules[len(rules)-1] == n {
		return
	}
	f.slots[k] = append(f.slots[k], n)
	h := hash(k)
	f.bits[h>>5] |= 1 << (h & 31)
}

func hash(k uint32) uint32 { return (k << 8) * 0x9E3779B1 >> (32 - hashBits) }

// next returns the first place at or after i where a literal may stand, and the
// rules that it may be of; -1 if there is none.
func (f *filter) next(s []byte, i int) (place int, rules []uint16) {
	for at, back := f.skim.Next(s, i); at < len(s); at, back = f.skim.Next(s, at+1) {
		for ; back != 0; back &= back - 1 {
			if place = at - bits.TrailingZeros16(back); place >= i && f.at(s, place) != nil {
				return f.first(s, max(i, place-skim.Reach), place)
			}
		}
	}
	return -1, nil
}

// first returns the first place at or after i where a literal may stand; one may
// stand at place.
func (f *filter) first(s []byte, i, place int) (int, []uint16) {
	for ; i < place; i++ {
		if rules := f.at(s, i); rules != nil {
			return i, rules
		}
	}
	return place, f.at(s, place)
}

// at returns the rules of which a literal may stand at i.
func (f *filter) at(s []byte, i int) []uint16 {
	if i+keyLength > len(s) {
		return nil
	}
	four := s[i : i+keyLength]
	k := uint32(f.class[four[0]])<<18 | uint32(f.class[four[1]])<<12 | uint32(f.class[four[2]])<<6 | uint32(f.class[four[3]])
	if h := hash(k); f.bits[h>>5]&(1<<(h&31)) == 0 {
		return nil
	}
	return f.slots[k]
}

package secret

// filter finds places where a literal may stand by four bytes, of which letters
// count in either case and digits as one. A bit for each hash of such four says
// whether any literal begins so; few others do.
type filter struct {
	class [256]uint8 // 6 bits for each byte; 0 = in no literal
	bits  [1 << (hashBits - 5)]uint32
	slots map[uint32][]uint16 // rules by the four classes that their literals begin with
}

const (
	hashBits  = 17
	keyLength = 4
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
		}
	}
	return f
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
	if len(s)-i < keyLength {
		return -1, nil
	}
	k := uint32(f.class[s[i]])<<12 | uint32(f.class[s[i+1]])<<6 | uint32(f.class[s[i+2]])
	for j, c := range s[i+3:] {
		k = k<<6 | uint32(f.class[c])
		h := hash(k)
		if f.bits[h>>5]&(1<<(h&31)) == 0 {
			continue
		}
		if rules := f.slots[k&0xFFFFFF]; rules != nil {
			return i + j, rules
		}
	}
	return -1, nil
}

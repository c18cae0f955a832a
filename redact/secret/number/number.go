package number

// Card finds the number of a payment card whose first four digits stand at i: 13
// to 19 digits, in groups or not, that begin as those of a scheme do (ISO/IEC 7812)
// and whose check digit is right (Luhn).
func Card(s []byte, i int) (from, to int, ok bool) {
	if i > 0 && (s[i-1] == '.' || s[i-1] == '-' || s[i-1] >= '0' && s[i-1] <= '9') {
		return 0, 0, false
	}
	var digits [20]byte
	n, end, groups := 0, i, 0
	for j := i; j < len(s) && n < len(digits); j++ {
		c := s[j]
		switch {
		case c >= '0' && c <= '9':
			digits[n] = c - '0'
			n, end = n+1, j+1
		case (c == ' ' || c == '-') && j+1 < len(s) && s[j+1] >= '0' && s[j+1] <= '9' && n >= 4 && groups < 4 && s[j-1] != ' ' && s[j-1] != '-':
			groups++
		default:
			j = len(s)
		}
	}
	if end < len(s) && (word(s[end]) || s[end] == '.' && end+1 < len(s) && word(s[end+1])) {
		return 0, 0, false
	}
	return i, end, scheme(digits[:n]) && luhn(digits[:n]) && !same(digits[:n])
}

// scheme tells numbers of cards by how they begin and how long they are.
func scheme(d []byte) bool {
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	first2, first4 := int(d[0])*10+int(d[1]), int(d[0])*1000+int(d[1])*100+int(d[2])*10+int(d[3])
	switch {
	case d[0] == 4:
		return len(d) == 13 || len(d) == 16 || len(d) == 19
	case first2 >= 51 && first2 <= 55, first4 >= 2221 && first4 <= 2720:
		return len(d) == 16
	case first2 == 34, first2 == 37:
		return len(d) == 15
	case first2 == 36, first2 == 38, first4 >= 3000 && first4 <= 3059:
		return len(d) == 14 || len(d) == 16
	case first4 == 6011, first2 == 65, first2 == 64, first2 == 62, first2 == 35:
		return len(d) >= 16
	}
	return false
}

func luhn(d []byte) bool {
	sum := 0
	for i, n := range d {
		v := int(n)
		if (len(d)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// ibanLengths are the lengths by country (the IBAN registry of ISO 13616).
const ibanLengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 " +
	"FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 " +
	"LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 " +
	"ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"

// Countries are those that have IBANs, each with two digits behind it.
func Countries() []string {
	var out []string
	for i := 0; i+4 <= len(ibanLengths); i += 5 {
		out = append(out, ibanLengths[i:i+2]+"00")
	}
	return out
}

// IBAN finds an IBAN at i, in groups of four or not, whose check digits are right
// (ISO 7064 MOD 97-10).
func IBAN(s []byte, i int) (from, to int, ok bool) {
	want := 0
	for j := 0; j+4 <= len(ibanLengths); j += 5 {
		if string(s[i:i+2]) == ibanLengths[j:j+2] {
			want = int(ibanLengths[j+2]-'0')*10 + int(ibanLengths[j+3]-'0')
		}
	}
	var text [34]byte
	n, j := 0, i
	for ; j < len(s) && n < want; j++ {
		c := s[j]
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z':
			text[n] = c
			n++
		case c != ' ' || n == 0 || n%4 != 0 || s[j-1] == ' ':
			return 0, 0, false
		}
	}
	if n < want || want == 0 || j < len(s) && word(s[j]) {
		return 0, 0, false
	}
	return i, j, mod97(append(text[4:n:n], text[:4]...)) == 1
}

func mod97(s []byte) int {
	m := 0
	for _, c := range s {
		if c >= 'A' {
			m = (m*100 + int(c-'A') + 10) % 97
		} else {
			m = (m*10 + int(c-'0')) % 97
		}
	}
	return m
}

func same(d []byte) bool {
	for _, n := range d {
		if n != d[0] {
			return false
		}
	}
	return true
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

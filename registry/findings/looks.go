package findings

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plain reads a text as somebody does who looks at it: letters of other scripts and
// shapes as the Latin ones that they look like, without accents (Unicode NFKD), and every
// kind of space as one.
func plain(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			if like, ok := alike[r]; ok {
				r = like
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// letters are those that the normal forms keep apart from the Latin ones that they look
// like, each before its like: Cyrillic, Greek, Armenian, Cherokee, Latin of other
// alphabets, punctuation (Unicode Technical Standard 39, confusables).
const letters = `аa еe оo рp сc уy хx иu іi јj ѕs ԁd ԛq ԝw һh ӏl ьb гr пn мm тt кk вb нh лn ѵv ԍg
АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԌG ԚQ ԜW ҮY ѴV ЬB
οo αa ιi νv εe ρp τt υu κk χx ηn ωw σo γy ςc ϲc ϳj
ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX
աw ոn սu ցg հh զq օo ղn յj Օo ՍU ՏS
ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎥI ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᎩY ᏃZ
ıi ɡg ɑa ɩi ʟl ɴn ʀr ʏy ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ᴍm ᴏo ᴘp ꜱs ᴛt ᴜu ᴠv ᴡw ᴢz Ɪi øo łl đd ħh ŧt
‐- ‑- ‒- –- —- −- ․. ’' ‘' “" ”" ⁄/ ∕/ ∶: ꞉: ｡.`

// alike is made once and never written.
var alike = likes()

func likes() map[rune]rune {
	all := map[rune]rune{}
	for pair := range strings.FieldsSeq(letters) {
		r, size := utf8.DecodeRuneInString(pair)
		all[r], _ = utf8.DecodeRuneInString(pair[size:])
	}
	return all
}

// looksLike says whether a name that is not plain ASCII is read as one that is.
func looksLike(name string) bool {
	shown := visible(name)
	return !isASCII(shown) && isASCII(plain(shown)) && mixed(shown)
}

// mixed says whether letters of a name are of another script than Latin, or of other
// shapes: accents alone are how many languages are written.
func mixed(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return r >= utf8.RuneSelf && unicode.IsLetter(r) && (alike[r] != 0 || !unicode.Is(unicode.Latin, r) || r >= 0xFF00 || unicode.Is(unicode.Lm, r))
	})
}

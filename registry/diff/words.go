package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// mostWords bounds what is compared word by word, of each text.
const mostWords = 400

// Words shows how a text became another: what went in [-…-], what came in {+…+},
// and what stayed, where it is long, as … . All of it is safe to print.
func Words(old, new string) string {
	was, is := strings.Fields(old), strings.Fields(new)
	if slices.Equal(was, is) {
		return "only white space is different: " + gaps(old) + " became " + gaps(new)
	}
	lead, was, is := alike(was, is)
	if len(was) > mostWords || len(is) > mostWords {
		was, is = was[:min(len(was), mostWords)], is[:min(len(is), mostWords)]
	}
	keep := longest(was, is)
	var b strings.Builder
	i, j := 0, 0
	same := lead
	flush := func() {
		b.WriteString(shorten(same))
		same = nil
	}
	for _, k := range append(keep, [2]int{len(was), len(is)}) {
		if gone, came := was[i:k[0]], is[j:k[1]]; len(gone)+len(came) > 0 {
			flush()
			b.WriteString(marked("[-", gone, "-] ") + marked("{+", came, "+} "))
		}
		if k[0] < len(was) {
			same = append(same, was[k[0]])
		}
		i, j = k[0]+1, k[1]+1
	}
	flush()
	return strings.TrimSpace(b.String())
}

// alike cuts off what two texts begin with alike, so that what is compared is where they
// differ.
func alike(was, is []string) (lead, a, b []string) {
	n := 0
	for n < len(was) && n < len(is) && was[n] == is[n] {
		n++
	}
	return was[:n:n], was[n:], is[n:]
}

// gaps says how much white space a text has, and of which kinds.
func gaps(text string) string {
	lines, other := strings.Count(text, "\n"), 0
	for _, r := range text {
		if unicode.IsSpace(r) && r != '\n' {
			other++
		}
	}
	return fmt.Sprintf("%d line ends and %d other spaces", lines, other)
}

func marked(open string, words []string, end string) string {
	if len(words) == 0 {
		return ""
	}
	return open + Visible(strings.Join(words, " ")) + end
}

// shorten keeps both ends of a long stretch.
func shorten(words []string) string {
	const ends = 4
	if len(words) > 2*ends+1 {
		return fmt.Sprintf("%s … %s ", Visible(strings.Join(words[:ends], " ")), Visible(strings.Join(words[len(words)-ends:], " ")))
	}
	if len(words) == 0 {
		return ""
	}
	return Visible(strings.Join(words, " ")) + " "
}

// longest returns a longest common subsequence as pairs of indexes.
func longest(a, b []string) [][2]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

package form

import "strings"

// DidYouMean says which of the candidates is nearest to a word that is none of them, or
// which there are: "; did you mean `x`?".
func DidYouMean(word string, candidates []string) string { return didYouMean(word, candidates) }

// didYouMean returns ` (did you mean "x"?)` for the candidate nearest to word,
// or how the candidates read when none is near.
func didYouMean(word string, candidates []string) string {
	best, distance := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), c); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return "; known: " + strings.Join(candidates, ", ")
	}
	return "; did you mean `" + best + "`?"
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b. Words longer than 64 bytes are infinitely far.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 10
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

package reports

import "math"

// z95 is the quantile of the normal distribution for two-sided 95 %.
const z95 = 1.959963984540054

// Wilson returns the 95 % confidence interval of a share, n of size, after Wilson
// (1927): it stays within 0 and 1 and holds for small samples and rare events too.
// Without a sample nothing is known: 0 to 1.
func Wilson(n, size uint64) (low, high float64) {
	if size == 0 {
		return 0, 1
	}
	p, m := float64(n)/float64(size), float64(size)
	mid := p + z95*z95/(2*m)
	half := z95 * math.Sqrt(p*(1-p)/m+z95*z95/(4*m*m))
	scale := 1 + z95*z95/m
	return max(0, (mid-half)/scale), min(1, (mid+half)/scale)
}

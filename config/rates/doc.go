// Package rates says in the configuration how often something may be asked, and how
// much of it.
//
// Map:
//
//	rates.go  Rate, Rates
package rates

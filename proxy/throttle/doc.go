// Package throttle bounds what one caller may take, and counts what is refused
// to strangers without putting each on record.
//
// Map:
//
//	rates.go     Rates, Meter: how often, and how much, by buckets of tokens
//	throttle.go  Slots: what is under way by key; Floods: refusals by source
package throttle

// Package throttle bounds what one caller may take, and counts what is refused
// to strangers without putting each on record.
//
// Map:
//
//	throttle.go  Slots: what is under way by key; Floods: refusals by source
package throttle

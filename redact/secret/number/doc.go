// Package number tells numbers of payment cards and accounts from others by their
// check digits.
//
// Map:
//
//	number.go  cards (Luhn) and IBAN (mod 97)
package number

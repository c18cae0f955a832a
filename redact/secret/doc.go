// Package secret finds credentials and numbers of people in text and replaces them
// by placeholders. It is apart from redact, which knows where text stands, because
// it knows bytes only, and because its rules are data that grow.
//
// A rule begins with a literal. One pass over the text finds where a literal may
// stand; only there a rule looks at a window. Text that no literal stands in costs
// a table look-up a byte, whatever the number of rules.
//
// Map:
//
//	secret.go   Scanner: Spans, Mask, May; from a literal to the span of a secret
//	filter.go   where in a text a literal may stand
//	far.go      far: where what goes on beyond a window ends
//	rule.go     rule: a literal, an expression, what it must look like
//	rules.txt   the rules that need no code: tokens by their prefix, values by their name
//	table.go    reads rules.txt
//	special.go  the rules that need code: keys, URLs, headers, assignments
//	number/     cards (Luhn) and IBAN (mod 97)
//	person.go   e-mail addresses and telephone numbers, where they are wanted
//	assign.go   what stands between a name and its value
//	random.go   what looks like a secret, and what is plainly none
//	decode.go   what shows when a text is decoded, and that again
//	code/       where a text encodes another: base64, percent, escapes, UTF-16
package secret

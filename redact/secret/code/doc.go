// Package code finds in a text what encodes another: escapes, base64, and text of two
// bytes a character among others. It knows forms and nothing of secrets.
//
// Map:
//
//	escape.go  NextEscape, Unescaped: %XX, \xXX, \uXXXX, \u{…}, \ooo, &#…;
//	base64.go  Next, Decoded: runs of base64 in either alphabet, broken into lines or not
//	wide.go    NextWide: UTF-16, of characters that one byte can say
package code

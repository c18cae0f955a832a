// Package form tells whether strings have the form that their members promise: media
// types, and bytes in base64.
//
// Map:
//
//	form.go  IsMediaType; Decode, Unbroken: base64; IsText
package form

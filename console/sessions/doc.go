// Package sessions knows who is signed in: a session lives here and not in its cookie,
// which names it by 256 random bits. It ends when nobody used it for a while, after a
// day's work at the latest, and with the key by which it began.
//
// Map:
//
//	sessions.go  Sessions: begin, find, end
package sessions

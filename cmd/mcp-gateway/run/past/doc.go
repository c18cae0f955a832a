// Package past reads in the journal what calls became of: of gateways that ended
// without a word, and of those that receipts speak of.
//
// Map:
//
//	fates.go   Fates: who lives, and what others put on record of an action
//	story.go   Story: all events of one action
//	events.go  Events: the journal's events, for those who hold receipts against them
package past

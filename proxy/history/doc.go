// Package history counts the calls of each principal, for policies that look at
// how often somebody called. It counts in this process, from its start, and only
// while a policy in force asks: a restart, or another replica, counts anew.
//
// Map:
//
//	history.go  Book: counts by minute for the last hour
package history

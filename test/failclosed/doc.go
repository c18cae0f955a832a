// Package failclosed breaks each part that the gateway stands on, in each way in
// which parts break, and holds what becomes of calls then. The rows are those of
// docs/fail-closed.md, which is written from them:
//
//	go test ./test/failclosed -update
//
// `make failclosed` prints how many cells are proven.
package failclosed

// Package oauth tests the gateway between a real authorization server, which runs
// in the test's own process, and real upstreams: who gets in by which token, what
// is asked of whom, and that no credential is ever where it does not belong.
package oauth

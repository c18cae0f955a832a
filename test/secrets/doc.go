// Package secrets holds the rules for secrets against somebody else's: the examples
// that gitleaks tests its own rules with, and its detector for speed. It is a module
// of its own, so that nothing of it is linked into the gateway.
//
// run.sh makes a copy of gitleaks whose rules hand out their examples instead of
// checking them, and runs the tests with it.
package secrets

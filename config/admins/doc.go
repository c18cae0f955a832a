// Package admins describes who runs the gateway, and where they reach it: the parts
// admin and console of upstreams.yaml.
//
// Map:
//
//	admins.go  Admin, Console: what they say, with defaults and rules
package admins

// Package approvals holds the commands of those who answer calls that wait. They ask a
// gateway that runs on the state directory, which knows who asks by a key; where none
// runs, the owner of the state directory answers in the name that the configuration
// gives them.
//
// Map:
//
//	commands.go    list, show, approve, deny, revoke, remembered
//	counter.go     where they are answered: by a gateway, or in the state directory
//	print.go       a ticket and its sheet as text
package approvals

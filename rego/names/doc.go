// Package names holds a compiled policy to its names: whatever it refers to is
// there, and whatever it says counts. To Rego a rule that is not there is merely
// undefined, and a rule of a name that nobody asks for merely idle: a slip of the
// pen in `ask` or in `lib.writes` would let everything pass.
//
// Map:
//
//	refs.go  Unresolved: references that lead nowhere
//	idle.go  Idle: rules that decide nothing
package names

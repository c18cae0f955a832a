// Package listed is one thing as its upstream listed it: checked, named, digested,
// compiled, looked at. What fails here is withheld whatever a reviewer thinks of it.
//
// It is a package of its own below registry so that one definition can be read
// without the others and without what reviewers said.
//
// Map:
//
//	definition.go  Definition; Examine and Admission: one listed object, contained
//	parts.go       Parts: which part of a definition is different
//	list.go        List: what is known of the whole of what was listed
//	name.go        tool names, and the names under which hosts see them
package listed

// Package lists answers tools/list, prompts/list, resources/list and
// resources/templates/list: the same way for every kind.
//
// Map:
//
//	lists.go    Lists: gather, visible, page
//	buffers.go  what pages are rendered in
//	cursor/     where a page begins, sealed
package lists

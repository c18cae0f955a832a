// Package lists answers tools/list, prompts/list, resources/list and
// resources/templates/list: the same way for every kind.
//
// Map:
//
//	lists.go    Lists: gather, visible, page
//	text.go     what a list says where nothing is hidden, and the parts of it that are seen
//	buffers.go  what pages of many parts are put together in
//	cursor/     where a page begins, sealed
package lists

package handles

import (
	"strings"

	"mcp-gateway/protocol"
)

// Bounds on what is looked at: beyond them a call or its result is refused.
const (
	mostTexts = 10_000 // among the arguments of one call
	mostGiven = 1_000  // handed out by one result
	shortest  = 8      // bytes of a text that is looked up wherever it stands
)

// texts calls each with every text and number among a value that may be a handle.
func texts(value []byte, each func(string)) {
	switch protocol.Kind(value) {
	case '{':
		for name, member := range protocol.Members(value) {
			if len(name) >= shortest {
				each(string(name))
			}
			texts(member, each)
		}
	case '[':
		for element := range protocol.Elements(value) {
			texts(element, each)
		}
	default:
		if s, ok := scalar(value); ok && len(s) >= shortest {
			each(s)
		}
	}
}

// at calls each with the handles at a place. A token "*" stands for every member or
// element; a list or an object at the end gives all texts in it.
func at(value []byte, pointer string, each func(string)) {
	if pointer == "" {
		all(value, each)
		return
	}
	token, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	if token != "*" {
		if next, ok := protocol.Lookup(value, "/"+token); ok {
			at(next, rest, each)
		}
		return
	}
	switch protocol.Kind(value) {
	case '{':
		for _, member := range protocol.Members(value) {
			at(member, rest, each)
		}
	case '[':
		for element := range protocol.Elements(value) {
			at(element, rest, each)
		}
	}
}

func all(value []byte, each func(string)) {
	switch protocol.Kind(value) {
	case '{':
		for _, member := range protocol.Members(value) {
			all(member, each)
		}
	case '[':
		for element := range protocol.Elements(value) {
			all(element, each)
		}
	default:
		if s, ok := scalar(value); ok {
			each(s)
		}
	}
}

// scalar is what a text or an integer is as a handle; an empty text is none.
func scalar(value []byte) (string, bool) {
	if protocol.IsInteger(value) {
		return string(value), true
	}
	s, ok := protocol.Text(value)
	return s, ok && s != ""
}

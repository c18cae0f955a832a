// Package guides reads the docs as their readers do: it types every command that
// they show, in the story of its page, and loads every configuration.
//
// Map:
//
//	pages_test.go   what the README and docs hold: commands, configurations
//	reader_test.go  the reader, and what they have before them
//	main_test.go    the programs
package guides

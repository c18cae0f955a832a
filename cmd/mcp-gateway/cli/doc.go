// Package cli holds what the commands of every subject share: exit codes, tables,
// groups, and the words in which wrong usage is refused.
//
// Map:
//
//	exit.go   Exit codes, Error, Usage: how a command ends
//	table.go  Table: rows as text, JSON, JSON lines, CSV or Markdown
//	narrow.go how a table is made to fit a terminal
//	written.go Written: what a proposed command leaves open is refused
//	typed.go  Kind: what cells are in JSON; Stamp
//	once.go   OnceVar: a flag that may be given once
//	bar.go    Bar: how far something long has come, on a terminal
//	moment.go Moment: times as flags name them
//	group.go  Group, OneOf, Joined
package cli

// Package schema compiles and applies JSON Schema within limits: a verdict,
// never a rewritten value.
//
// A schema comes from an upstream and is hostile until shown otherwise. Compile
// looks at its raw bytes (size, depth, dialect, references, patterns), has the
// validator library compile it with a loader that refuses everything, and then
// looks at the compiled graph (cycles, expansion) before any value meets it.
//
// What is asserted: draft 2020-12 (also without $schema) and draft-07, with the
// patterns in RE2. What is not: format, contentEncoding and contentMediaType,
// which are annotations here; default is never applied.
//
// Map:
//
//	schema.go  Limits, Schema, Compile
//	survey.go  what is asked of the raw schema before it is compiled
//	check.go   Check, Undeclared: verdicts
//	explain.go the library's error tree as violations
//	decode.go  raw JSON as the library's value model, numbers as lexemes
//	plan/      the compiled graph: safety, fast acceptance, undeclared members
package schema

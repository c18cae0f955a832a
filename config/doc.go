// Package config turns what people write, upstreams.yaml and exposure.yaml,
// into checked values, and reports every fault of a file in one run.
//
// Map:
//
//	config.go    Config and its parts: what upstreams.yaml says, with defaults
//	load.go      Load, Schema, Immutable: file to Config, and what a reload may change
//	describe.go  the description of upstreams.yaml that reads it and is its schema
//	rules.go     rules over several keys of upstreams.yaml
//	command.go   which commands carry their program in an argument
//	secret.go    Secret: env:NAME and file:PATH, resolved and never printed
//	exposure.go  LoadExposure: exposure.yaml to registry records
//	edit.go      Approve, Quarantine: change one record of exposure.yaml
//	surgery.go   text edits that leave every other line as it was
//	replace.go   atomic replacement of a file
//	watch.go     Watch: tells of changed files
//	form/        strict YAML by description
package config

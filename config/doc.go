// Package config turns what people write, upstreams.yaml and exposure.yaml,
// into checked values, and reports every fault of a file in one run.
//
// Map:
//
//	config.go    Config and its parts: what upstreams.yaml says, with defaults
//	load.go      Load, LoadExposure, Schema: file to Config
//	fixed.go     Keep: what only a restart changes
//	describe.go  the description of upstreams.yaml that reads it and is its schema
//	audit.go     what is kept of events, and where else
//	rules.go     rules over several keys of upstreams.yaml
//	remarks.go   Remarks: what may be said and is seldom meant
//	oauth.go     Issuer and its kin: whose tokens are accepted
//	watch.go     Watch: tells of changed files
//	admins/      who runs the gateway, and the console
//	command/     which commands carry their program, or a secret, in an argument
//	exposure/    exposure.yaml: read it, approve and quarantine in it
//	delivery/    where bundles of policy come from
//	listen/      where hosts reach the gateway, and by which certificate
//	reach/       private networks to which URLs may lead
//	secret/      env:NAME and file:PATH, resolved and never printed
//	rates/       how often, and how much
//	keeping/     how long what is on record is kept
//	form/        strict YAML by description
package config

// Package terms turns parts of a configuration into what rooms take: on which terms
// upstreams are reached, and how often who may call.
//
// Map:
//
//	terms.go    Rates, Tokens, Exchanged
//	agreed.go   Extensions, Relayed: what may be agreed on with upstreams
//	content.go  Content, Cleaner, Planned: what of upstreams is cleaned, and how
package terms

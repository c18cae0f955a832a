// Package redact makes upstream text safe to pass on: it removes what a reader
// cannot see and a terminal would obey, and puts typed placeholders in the place
// of secrets.
//
// It works on raw JSON and rewrites only the strings that need it; input that
// needs nothing comes back as the very same slice. The state of an upstream that asks
// is left alone, since to change it is to break it; so are blobs, images and audio
// whose bytes are no text.
//
// Map:
//
//	redactor.go    Options, Redactor; Result, Contents, Prompt, Any; Text
//	clean.go       Clean (proof of cleaning) and Report (counts, findings)
//	walk.go        the walk over raw JSON that knows where it stands
//	content.go     Content, Profile: links that are taken out, directives and addresses
//	medium.go      media types, and what is of no form
//	coded.go       text in base64; texts between marks that name their source
//	definition.go  Definition, Item: definitions, whose meaning must not change
//	asked.go       Asking, Asked: what upstreams ask of hosts
//	business.go    Business: an upstream's own error content, bounded and labelled
//	bound/         what is too much of a result
//	edit/          values within JSON objects
//	join/          secrets that are split over neighbouring texts
//	place/         where a string can stand
//	skim/          where in a text a literal may begin
//	meaning/       what text is meant to do to its reader
//	hidden/        what nobody can see: runes and terminal sequences
//	secret/        what nobody should see: credentials and numbers of people
package redact

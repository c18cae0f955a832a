// Package registry knows which tools exist, as which definition, reviewed or
// not, what changed; it makes the snapshots that calls resolve against and
// keeps the private list cache.
//
// What an upstream lists passes once through admit, is compared with the
// reviewers' exposure records, and ends in an immutable Snapshot. Nothing is
// served that has no record for exactly its digest. A fault in one definition
// withholds that tool and no other.
//
// Map:
//
//	words.go       Definition, Record, Exposure: by the names of packages listed and review
//	registry.go    Registry, Options, Listing: publish, set exposure, forget
//	build.go       where each definition stands, and the snapshot made of it
//	present.go     the host's rendering of a tool, contained and remembered
//	snapshot.go    Snapshot, Tool, Pinned: what is served, and how a name resolves
//	observation.go Observation, Changes: what there is and what became different
//	profile.go     Profile, Upstream: what an upstream itself is, and where it stands
//	history.go     History: the durable memory of all this; store implements it
//	twins/         what would be called by one name, over all upstreams
//	listed/        one thing as it was listed: admitted, digested, named
//	review/        what reviewers wrote, and what follows from it
//	views/         the private list cache: who may see what
//	uri/           resource URIs and templates in one spelling
//	findings/      what is suspicious in a definition
//	identity/      what an upstream is, in one digest
//	flap/          replicas that disagree, told from a change
//	diff/          how two definitions differ, for the reviewer
package registry

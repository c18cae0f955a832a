// Package door is what all fronts over HTTP judge and read alike, whatever
// revision their hosts speak.
//
// Map:
//
//	policy.go   Policy: which Host and Origin values are served; media types
//	arrival.go  Arrival: what the corridor needs to know of an HTTP request
//	framing.go  Serve: requests whose length is told twice are seen
//	send.go     Send: a large body in the parts that it is made of, with its header, at once
//	switch.go   Switch, Paths: both eras on the same URLs, and no other
//	browsers.go Browsers: what pages of configured origins are told
//	metadata.go Metadata: what hosts learn of an endpoint before they have a token
package door

// Package deliver brings policies in as bundles, from files and from bundle services
// that are asked again and again through OPA's own downloader. One bundle makes a
// policy, or several do together, each below roots of its own. A bundle is taken only
// if it verifies, is none that was replaced before, and makes with the others a policy
// that passes every check; whatever else comes leaves what is in force where it is.
// What was taken is kept, so that a gateway starts without the services.
//
// Map:
//
//	deliver.go  Options, Source: one place where bundles come from
//	set.go      Set: the places of one policy; what of them is in force, together
//	service.go  Follow: services are asked until the context ends
//	client.go   OPA's client, made to go through ours
//	keep.go     the bundles that were taken last, and which were before, on disk
//	status.go   Status: how the delivery of a bundle stands
package deliver

// Package deliver brings policies in as bundles: from a file, or from a bundle
// service that is asked again and again through OPA's own downloader. A bundle is
// taken only if it verifies, passes every check of a policy and is no older than
// the one before; whatever else comes leaves the one in force where it is. What was
// taken is kept, so that a gateway starts without the service.
//
// Map:
//
//	deliver.go  Options, Source: one place where bundles come from; what of it is in force
//	service.go  Follow: a service is asked until the context ends
//	client.go   OPA's client, made to go through ours
//	keep.go     the bundle that was taken last, on disk
//	status.go   Status: how the delivery stands
package deliver

// Package stage puts a whole gateway on a stage for tests: real files in a
// temporary folder, real listeners, real child processes, and hosts that speak
// raw HTTP. Nothing of the gateway is replaced.
//
// A test package that starts processes calls Main from its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(stage.Main(m, roles)) }
//
//	s := stage.Open(t, stage.Options{Upstreams: []stage.Upstream{stage.Incident("incident")}})
//	reply := s.Host("alice").Call(t, "incident__get_service_status", `{"service":"payments","window_minutes":5}`)
//
// Map:
//
//	stage.go      Options, Stage: open, serve, close
//	review.go     exposure.yaml, written from what the upstreams were seen to list
//	upstreams.go  Upstream: the kinds that a stage may hold
//	process.go    Main, Lines: the test binary as an upstream over stdio
//	peer.go       Peer: an upstream over HTTP that says exactly what a test wants
//	host.go       Host, Request, Reply: raw requests and their answers
//	certificate.go  Certificate: what a listener over TLS shows
//	staff.go      Staff: who runs the gateway, and the operators' API as they ask it
//	record.go     what the gateway put on record and into its log
package stage

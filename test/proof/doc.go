// Package proof kills a gateway at work, with SIGKILL, again and again, and
// holds what it put on record against what its upstreams executed and what its
// hosts were told.
//
// Each run does so a few times; `make proof` does so 200 times, in 10,000 calls at least:
//
//   - no upstream executed a call without a decision on record before it, by the
//     right principal, for the right tool, with the same arguments;
//   - no host was given a result whose end was not on record before it;
//   - each decided call has one end in the end: finished, or orphaned;
//   - the journal verifies after every start;
//   - no child outlives its gateway.
//
// And with keys: 1,000 writes, repeated until their outcome is told, while gateway or
// upstream are killed at random. Each key is executed once where the upstream honours it,
// and no more than once where it does not; nothing that was executed is ever said to have
// failed, and two gateways on one state directory send a key once.
//
// The gateway is a process of its own, with the example server as its child and
// a server over HTTP in the process of the test, which writes down what it
// executes.
package proof

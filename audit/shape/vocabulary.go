package shape

import (
	"slices"

	"mcp-gateway/gateway"
)

// Method tells whether it is a method of the protocol.
func Method(s string) bool { return slices.Contains(methods, s) }

// Era tells whether it is an era of the protocol.
func Era(s string) bool { return s == "modern" || s == "legacy" }

// Transport tells whether it is a way in which hosts are connected.
func Transport(s string) bool { return s == "http" || s == "stdio" }

// Code tells whether it is a code of the gateway.
func Code(s string) bool { return codes[gateway.Code(s)] }

// Effect tells whether it is an effect of policy.
func Effect(s string) bool {
	switch gateway.Effect(s) {
	case gateway.Allow, gateway.Deny, gateway.Ask:
		return true
	}
	return false
}

// Outcome tells whether it is what may become of a call.
func Outcome(s string) bool {
	switch gateway.Outcome(s) {
	case gateway.OutcomeCommitted, gateway.OutcomeFailed, gateway.OutcomeUnknown, gateway.OutcomeAwaiting,
		gateway.OutcomeAccepted, gateway.OutcomePartial:
		return true
	}
	return false
}

// Class tells whether it is a class of side effects.
func Class(s string) bool {
	switch gateway.SideEffect(s) {
	case gateway.Read, gateway.Write, gateway.Destructive:
		return true
	}
	return false
}

// State tells whether it is how a definition stands in review.
func State(s string) bool {
	switch gateway.ExposureState(s) {
	case gateway.StateApproved, gateway.StateNew, gateway.StateChanged,
		gateway.StateQuarantined, gateway.StateWithheld, gateway.StateMissing, gateway.StateDeprecated, gateway.StateRetired:
		return true
	}
	return false
}

// Tables built once and never written.
var (
	codes   = codeSet()
	methods = []string{
		"tools/call", "tools/list", "server/discover", "initialize", "ping",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe",
		"resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete",
		"logging/setLevel", "subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel",
		"tasks/list", "tasks/result", "notifications/initialized", "notifications/cancelled",
		"notifications/progress", "notifications/roots/list_changed",
	}
)

func codeSet() map[gateway.Code]bool {
	set := map[gateway.Code]bool{}
	for _, c := range gateway.Codes() {
		set[c] = true
	}
	return set
}

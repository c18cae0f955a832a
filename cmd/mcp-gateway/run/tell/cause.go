package tell

import (
	"cmp"
	"strings"

	"mcp-gateway/auth/grant"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// Cause says in our own words why an upstream is down; "" for one that is up and about
// which nothing is to be said. No word of the upstream's own is in it.
func Cause(f registry.UpstreamFact) string {
	if f.Reason == "" {
		return ""
	}
	if text, ok := causes()[gateway.Reason(f.Reason)]; ok {
		return text
	}
	for prefix, text := range map[string]string{
		"exit_": "its process ended with exit code ", "signal_": "its process was ended by signal ", "http_": "it answers with HTTP status ",
		credential: "there is no credential for it: at its issuer, ",
	} {
		if detail, ok := strings.CutPrefix(f.Reason, prefix); ok {
			return text + detail
		}
	}
	return f.Reason
}

// credential is how the words of grant.Word begin.
const credential = "credential_"

// Failed is the reason for which an upstream that was asked did not list: that of the error, unless
// it is known in more detail why there was no credential.
func Failed(f registry.UpstreamFact, reason gateway.Reason, err error) gateway.Reason {
	switch {
	case reason != gateway.ReasonCredential:
		return reason
	case strings.HasPrefix(f.Reason, credential):
		return gateway.Reason(f.Reason)
	}
	return cmp.Or(grant.Word(err), reason)
}

// Tokenless says whether there was no credential for an upstream, which may be up all the same.
func Tokenless(f registry.UpstreamFact) bool {
	return f.Reason == string(gateway.ReasonCredential) || strings.HasPrefix(f.Reason, credential)
}

// causes are the words for reasons that have no number in them.
func causes() map[gateway.Reason]string {
	return map[gateway.Reason]string{
		"connecting":                 "it is still being started or met, and was not done in the time that it was waited for",
		"start_failed":               "its command could not be started",
		"exited":                     "its process ended",
		"crash_loop":                 "its process ends again and again",
		"unconfined":                 "it must be confined and could not be",
		"stdout_noise":               "it writes too much to stdout that is no message",
		"endless_line":               "it writes a line without end",
		"stdin_stuck":                "it does not read what it is sent",
		"silent":                     "it did not introduce itself in time",
		"probe_timeout":              "it did not answer in time",
		"probe_error":                "it answered with an error where it was to introduce itself",
		gateway.ReasonDowngrade:      "it speaks an older revision than it was met with before",
		gateway.ReasonRevisionTooOld: "its revision is older than revision.minimum",
		"unsupported_revision":       "it speaks no revision that the gateway speaks",
		"no_mcp_server":              "no revision of MCP is spoken at its URL",
		"session_lost":               "it forgets its sessions",
		"bad_endpoint":               "it names no endpoint, or one of somebody else",
		"dial_refused":               "nobody listens at its address",
		"dial_blocked":               "its address may not be called",
		"dial_timeout":               "connecting to it took too long",
		"dial_failed":                "it could not be connected to",
		"dns_failed":                 "its name could not be resolved",
		"tls_failed":                 "TLS with it failed",
		"connection_broken":          "its connection broke",
		"redirect":                   "it redirects, which is not followed",
		"html_answer":                "it answers with a web page",
		"media_type":                 "it answers with neither JSON nor an event stream",
		"no_answer":                  "its stream ended without an answer",
		"stray_messages":             "it sends too many messages that answer nothing",
		gateway.ReasonLaunchChanged:  "it would be started, or reached, as something else than was reviewed, so it is not",
		gateway.ReasonIssuerChanged:  "its host is vouched for by another authority than was reviewed, so nothing is sent to it",
		gateway.ReasonCredential:     "there is no credential for it",
		gateway.ReasonSecretMissing:  "a secret that its configuration names is not there; `validate` says where",
		gateway.ReasonUpstreamDown:   "it does not answer",
		gateway.ReasonMalformed:      "what it lists is no list",
	}
}

package gateway

// Effect is what policy decided.
type Effect string

// The effects. The zero value is none of them and is treated as Deny.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
	Ask   Effect = "ask"
)

// Reason is a stable, machine-readable code that says why: lower case words
// joined by underscores, such as "scope_missing". Policies may bring their own
// codes; those that the gateway itself gives are listed here.
type Reason string

// Reasons that the gateway itself gives.
const (
	ReasonPolicyUndefined   Reason = "policy_undefined"   // no rule gave an answer
	ReasonPolicyAbsent      Reason = "policy_absent"      // none was ever delivered
	ReasonPolicyError       Reason = "policy_error"       // evaluation failed or gave a wrong shape
	ReasonPolicyTimeout     Reason = "policy_timeout"     // evaluation ran over its time
	ReasonNotVisible        Reason = "not_visible"        // hidden from this principal
	ReasonToolAbsent        Reason = "tool_absent"        // no such exposed name
	ReasonUpstreamDown      Reason = "upstream_down"      // the upstream does not answer now
	ReasonUnreviewed        Reason = "unreviewed"         // no exposure record
	ReasonDefinitionChanged Reason = "definition_changed" // differs from the reviewed digest
	ReasonQuarantined       Reason = "quarantined"        // held back by a reviewer
	ReasonSchemaUnsafe      Reason = "schema_unsafe"      // the schema cannot be enforced within limits
	ReasonSchemaInvalid     Reason = "schema_invalid"     // not a JSON Schema of a supported dialect
	ReasonNameInvalid       Reason = "name_invalid"       // outside [A-Za-z0-9_.-]{1,128}
	ReasonNameCollision     Reason = "name_collision"     // two tools would share one exposed name
	ReasonHeaderMirror      Reason = "header_mirror"      // an x-mcp-header annotation is wrong or mirrors a secret
	ReasonDefinitionTooBig  Reason = "definition_too_large"
	ReasonScopeMissing      Reason = "scope_missing"       // a scope that the call needs is not held
	ReasonTaskRequired      Reason = "task_required"       // needs the tasks extension
	ReasonMalformed         Reason = "malformed"           // not the JSON or message that it should be
	ReasonUndeclared        Reason = "undeclared_member"   // an argument that the schema does not declare
	ReasonResultType        Reason = "result_type"         // a resultType that was not agreed on
	ReasonResultShape       Reason = "result_shape"        // not the shape of a tool result
	ReasonResultTooLarge    Reason = "result_too_large"    // more than the gateway takes
	ReasonOutputMissing     Reason = "output_missing"      // an output schema, but no structuredContent
	ReasonOutputSchema      Reason = "output_schema"       // structuredContent breaks the output schema
	ReasonUnchecked         Reason = "schema_limit"        // too large, or too many steps, to be held against its schema
	ReasonListPartial       Reason = "list_partial"        // a list that could be read in part only
	ReasonNamesMeet         Reason = "names_meet"          // two member names, or one and a word of the protocol, are equal once cleaned
	ReasonBusy              Reason = "busy"                // as many calls are under way as may be
	ReasonPolicyConflict    Reason = "policy_conflict"     // rules gave different answers
	ReasonPolicyCancelled   Reason = "policy_cancelled"    // the caller left before policy had answered
	ReasonArgumentsTooLarge Reason = "arguments_too_large" // more values than policy can be asked about
)

// Why a host's message is malformed, beside ReasonMalformed.
const (
	ReasonNotJSON    Reason = "not_json"         // not exactly one JSON value
	ReasonNotUTF8    Reason = "not_utf8"         //
	ReasonDuplicate  Reason = "duplicate_member" // a name twice in one object
	ReasonDepth      Reason = "too_deep"         // nested deeper than the gateway takes
	ReasonNumber     Reason = "number_too_large" // longer, or of a larger exponent, than the gateway takes
	ReasonNotRequest Reason = "not_a_request"    // no object, no method, or a response
	ReasonVersion    Reason = "jsonrpc_version"  // jsonrpc is not "2.0"
	ReasonID         Reason = "id_invalid"       // neither a string nor an integer, longer than the gateway takes, or missing
)

// Reasons about what a decision asks for besides its effect.
const (
	ReasonApprovalOwed     Reason = "approval_owed"      // allowed, but only with an approval
	ReasonAuthentication   Reason = "authentication_old" // the caller authenticated too long ago, or nobody knows when
	ReasonKeyMissing       Reason = "idempotency_key_missing"
	ReasonMaskedArguments  Reason = "masked_arguments"  // without what is masked, the arguments break the schema
	ReasonMaskedResult     Reason = "masked_result"     // without what is masked, the result breaks its schema
	ReasonResultOverBudget Reason = "result_over_limit" // more bytes than the decision lets through
)

// Outcome is what became of a call that was sent upstream.
type Outcome string

// The outcomes. OutcomeUnknown never decays into another by time alone.
const (
	OutcomeCommitted Outcome = "committed"
	OutcomeFailed    Outcome = "failed"
	OutcomeUnknown   Outcome = "outcome_unknown"
	OutcomeAwaiting  Outcome = "awaiting_input" // the upstream asks before it goes on; the retry has the same action
	OutcomeAccepted  Outcome = "accepted"       // the upstream took it on and will do it later
	OutcomePartial   Outcome = "partial"        // the upstream says that it did a part of it
	OutcomeInFlight  Outcome = "in_flight"      // of the ledger alone: may be running now
)

// ReasonAdmissionFailed says that judging a definition itself failed; the cause
// is in the operator's log.
const ReasonAdmissionFailed Reason = "admission_failed"

// ReasonNoEvidence says that a write's record names evidence that its output schema
// does not guarantee.
const ReasonNoEvidence Reason = "evidence_not_guaranteed"

// Why a reviewed definition is not served, or is again.
const (
	ReasonRetired         Reason = "retired"             // its sunset has come
	ReasonIdentityChanged Reason = "identity_changed"    // its upstream is not what was reviewed
	ReasonLaunchChanged   Reason = "launch_changed"      // its upstream would be started, or is reached, as another than was reviewed
	ReasonIssuerChanged   Reason = "issuer_changed"      // another authority vouches for its upstream's host than was reviewed
	ReasonReplicas        Reason = "replicas_disagree"   // its upstream lists several definitions by turns
	ReasonRestored        Reason = "definition_restored" // served again: the upstream returned to what was reviewed
)

// What of an upstream is different from what was observed, or from its review.
const (
	ReasonMet                    Reason = "first_met"               // nothing was observed of it before
	ReasonEraChanged             Reason = "era_changed"             //
	ReasonRevisionChanged        Reason = "revision_changed"        // another revision of the protocol was agreed
	ReasonCapabilitiesChanged    Reason = "capabilities_changed"    // what it declares
	ReasonInstructionsChanged    Reason = "instructions_changed"    // what it tells models
	ReasonInstructionsUnreviewed Reason = "instructions_unreviewed" // it gives some that no reviewer saw: nobody is told them
	ReasonDowngrade              Reason = "downgrade"               // refused: it was met with a newer revision before
	ReasonRevisionTooOld         Reason = "revision_too_old"        // refused: older than the configuration allows
)

// ReasonCredential says that there is no credential for the upstream.
const ReasonCredential Reason = "upstream_credential"

// ReasonSecretMissing says that the upstream's configuration names a secret that is not
// there, so that it is neither started nor asked.
const ReasonSecretMissing Reason = "secret_missing"

// Which rate or budget is used up.
const (
	ReasonPrincipalRate    Reason = "rate_principal"
	ReasonToolRate         Reason = "rate_tool"
	ReasonUpstreamRate     Reason = "rate_upstream"
	ReasonClassRate        Reason = "rate_class"
	ReasonDestructiveQuota Reason = "quota_destructive"
	ReasonResultBudget     Reason = "budget_result_bytes"
)

// ReasonIDInUse says that a request came under an id whose request is not
// answered yet.
const ReasonIDInUse Reason = "id_in_use"

// ReasonInitialized says that a session was initialized before.
const ReasonInitialized Reason = "initialized_already"

// Reasons of calls in several rounds, and of what is read.
const (
	ReasonSecretAsked Reason = "secret_asked" // a form that asks for a secret
	ReasonURLAsked    Reason = "url_asked"    // a URL that is not for browsers
	ReasonAskHidden   Reason = "ask_hidden"   // hidden characters where nothing may be changed
	ReasonRounds      Reason = "rounds"       // the upstream asked too often
	ReasonUnanswered  Reason = "unanswered"   // the host did not answer what it was asked
	ReasonDirective   Reason = "directive"    // a result that speaks to its reader, where the configuration blocks that
	ReasonForeignURI  Reason = "foreign_uri"  // contents of another resource than the one that was read
)

// Why a subscription ended.
const (
	ReasonStopping      Reason = "gateway_stopping"
	ReasonHostLeft      Reason = "host_left"
	ReasonWriterDied    Reason = "gateway_died"   // the gateway was killed while it was open
	ReasonPrincipalGone Reason = "principal_gone" // its credential is not accepted any more
	ReasonEndpointGone  Reason = "endpoint_gone"  // its upstream was taken out of the configuration
)

// Reasons of calls with side effects: what the ledger says of their key.
const (
	ReasonKeyArguments   Reason = "key_arguments_differ" // the key was used with other arguments
	ReasonKeysDiffer     Reason = "keys_differ"          // _meta and the arguments name different keys
	ReasonKeyShape       Reason = "key_shape"            // no string of 1 to 256 printable characters
	ReasonDeadline       Reason = "timeout_shape"        // no whole number of milliseconds from 1 to an hour
	ReasonOutcomeWord    Reason = "outcome_word"         // the result has no word that the review knows
	ReasonEvidenceAbsent Reason = "evidence_absent"      // success without the reviewed external id
	ReasonLedger         Reason = "ledger_unavailable"   // the ledger could not be read or written
	ReasonApprovalUsed   Reason = "approval_used"        // its approval was used or is over by now
	ReasonReceiptUnkept  Reason = "receipt_not_kept"     // it ran; its receipt could not be signed or kept
)

// Reasons about handles, which a reviewer binds to whom they were given.
const (
	ReasonHandleUnknown Reason = "handle_unknown"  // given to nobody
	ReasonHandleForeign Reason = "handle_foreign"  // given to somebody else
	ReasonHandleExpired Reason = "handle_expired"  // given to its sender, and over
	ReasonHandleStore   Reason = "handle_unstored" // whose it is could not be kept or looked up
)

package gateway

// Reasons lists the reasons that this package names: what a question about the record may
// ask for although it never came up. Upstreams, reviews and policies have words of their
// own besides.
func Reasons() []Reason {
	return []Reason{
		ReasonPolicyUndefined, ReasonPolicyAbsent, ReasonPolicyError, ReasonPolicyTimeout, ReasonNotVisible,
		ReasonToolAbsent, ReasonUpstreamDown, ReasonUnreviewed, ReasonDefinitionChanged, ReasonQuarantined,
		ReasonSchemaUnsafe, ReasonSchemaInvalid, ReasonNameInvalid, ReasonNameCollision, ReasonHeaderMirror,
		ReasonDefinitionTooBig, ReasonScopeMissing, ReasonTaskRequired, ReasonMalformed, ReasonUndeclared,
		ReasonResultType, ReasonResultShape, ReasonResultTooLarge, ReasonOutputMissing, ReasonOutputSchema,
		ReasonUnchecked, ReasonListPartial, ReasonNamesMeet, ReasonBusy, ReasonPolicyConflict, ReasonPolicyCancelled,
		ReasonArgumentsTooLarge, ReasonNotJSON, ReasonNotUTF8, ReasonDuplicate, ReasonDepth, ReasonNumber,
		ReasonNotRequest, ReasonVersion, ReasonID, ReasonApprovalOwed, ReasonAuthentication, ReasonKeyMissing,
		ReasonMaskedArguments, ReasonMaskedResult, ReasonResultOverBudget, ReasonRetired, ReasonIdentityChanged,
		ReasonLaunchChanged, ReasonIssuerChanged, ReasonReplicas, ReasonRestored, ReasonMet, ReasonEraChanged,
		ReasonRevisionChanged, ReasonCapabilitiesChanged, ReasonInstructionsChanged, ReasonInstructionsUnreviewed,
		ReasonDowngrade, ReasonRevisionTooOld, ReasonPrincipalRate, ReasonToolRate, ReasonUpstreamRate, ReasonClassRate,
		ReasonDestructiveQuota, ReasonResultBudget, ReasonSecretAsked, ReasonURLAsked, ReasonAskHidden, ReasonRounds,
		ReasonUnanswered, ReasonDirective, ReasonForeignURI, ReasonStopping, ReasonHostLeft, ReasonWriterDied,
		ReasonPrincipalGone, ReasonEndpointGone, ReasonKeyArguments, ReasonKeysDiffer, ReasonKeyShape, ReasonDeadline,
		ReasonOutcomeWord, ReasonEvidenceAbsent, ReasonLedger, ReasonApprovalUsed, ReasonReceiptUnkept,
		ReasonHandleUnknown, ReasonHandleForeign, ReasonHandleExpired, ReasonHandleStore,
	}
}

// Outcomes lists what may become of a call.
func Outcomes() []Outcome {
	return []Outcome{OutcomeCommitted, OutcomeFailed, OutcomeUnknown, OutcomeAwaiting, OutcomeAccepted, OutcomePartial}
}

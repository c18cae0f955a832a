package findings

import "mcp-gateway/gateway"

// Code names one kind of finding. Codes are stable: records waive them, policies
// and events name them.
type Code string

// The codes. Hidden characters have codes of the redact room.
const (
	Directive         Code = "directive"
	Concealment       Code = "concealment"
	SensitivePath     Code = "sensitive_path"
	CrossTool         Code = "cross_tool_reference"
	Confusable        Code = "confusable_name"
	SecretDefault     Code = "secret_default"
	OutboundDefault   Code = "outbound_default"
	NameAgainstEffect Code = "name_against_side_effect"
	CatchAll          Code = "catch_all"
	Environment       Code = "environment"
	ShellExecution    Code = "shell_execution"
	ModeSwitch        Code = "free_text_mode"
	IdentityParameter Code = "identity_parameter"
	ApprovalParameter Code = "approval_parameter"
	RawPath           Code = "raw_path"
	WriteWithoutKey   Code = "write_without_key"
	NoOutputSchema    Code = "output_schema_missing"
	Unbounded         Code = "string_unbounded"
)

// kind is what is known of a code: what it does by default, and why it matters.
type kind struct {
	severity gateway.Severity
	reason   string
}

// Codes lists every code, gravest first.
func Codes() []Code {
	return []Code{
		Directive, Concealment, SensitivePath, CrossTool, Confusable, SecretDefault, OutboundDefault, NameAgainstEffect,
		ShellExecution, Environment, CatchAll, ModeSwitch, IdentityParameter, ApprovalParameter, RawPath, WriteWithoutKey, NoOutputSchema, Unbounded,
	}
}

func of(c Code) kind {
	switch c {
	case Directive:
		return kind{gateway.Warning, "it tells a model to do something that is not this tool's work"}
	case Concealment:
		return kind{gateway.Warning, "it tells a model to keep something from people"}
	case SensitivePath:
		return kind{gateway.Warning, "it names where keys or credentials are kept"}
	case CrossTool:
		return kind{gateway.Warning, "it names a tool of another upstream, whose use it may steer"}
	case Confusable:
		return kind{gateway.Warning, "it looks the same as another name, of another upstream or in other letters, so that one may be taken for the other"}
	case SecretDefault:
		return kind{gateway.Warning, "a default value looks like a secret"}
	case OutboundDefault:
		return kind{gateway.Warning, "a default value sends to an address that the upstream chose"}
	case NameAgainstEffect:
		return kind{gateway.Warning, "the name says that it changes something, the upstream or the review that it only reads"}
	case ShellExecution:
		return kind{gateway.Info, "it runs commands or code: whoever may call it may do what its process may"}
	case Environment:
		return kind{gateway.Info, "it reads the environment of its process, where secrets often are"}
	case CatchAll:
		return kind{gateway.Info, "one action argument and one free payload: a tool for everything can't be judged as one thing"}
	case ModeSwitch:
		return kind{gateway.Info, "a free text chooses what it does: the values can't be reviewed"}
	case IdentityParameter:
		return kind{gateway.Info, "an argument says for whom: the gateway does not know whether the caller is that person"}
	case ApprovalParameter:
		return kind{gateway.Info, "an argument says that somebody agreed: a model can write that itself"}
	case RawPath:
		return kind{gateway.Info, "an argument is a path without a pattern"}
	case WriteWithoutKey:
		return kind{gateway.Info, "the name says that it writes, and no argument could carry an idempotency key"}
	case NoOutputSchema:
		return kind{gateway.Info, "there is no output schema: its results are not checked and prove nothing"}
	case Unbounded:
		return kind{gateway.Info, "a text argument has no bound"}
	default:
		return kind{gateway.Info, ""}
	}
}

// Reason says in one clause why a finding of that code matters; "" where the code
// is not one of this package.
func Reason(code string) string { return of(Code(code)).reason }

// mostExcerpt bounds the words that are kept with a finding, in bytes.
const mostExcerpt = 120

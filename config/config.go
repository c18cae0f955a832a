package config

import (
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/config/admins"
	"mcp-gateway/config/delivery"
	"mcp-gateway/config/listen"
	"mcp-gateway/config/logs"
	"mcp-gateway/config/rates"
	"mcp-gateway/config/reach"
	"mcp-gateway/config/secret"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
	"mcp-gateway/redact"
)

// Config is one checked upstreams.yaml. Relative paths in the file start at
// the file's own directory; here they are absolute. A Config is not changed
// after Load.
type Config struct {
	File      string // absolute
	Revision  string // "sha256:" and the hex digest of the file's text
	Listen    Listen
	Replica   string // "" = minted once
	State     State
	Exposure  string // path of exposure.yaml
	Auth      Auth
	Policy    Policy
	Limits    Limits
	Audit     Audit
	Log       logs.Log
	Networks  reach.Networks // to which names of URLs here may lead, beside public ones
	Admin     admins.Admin
	Console   *admins.Console // nil = there is none
	Redact    redact.Options  // what is replaced in what upstreams send, beside secrets
	Upstreams map[string]*Upstream

	exposureAbsent *gateway.Problem // what it is to name an exposure file that is not there; nil where none is named

	// SecretFiles are those that references of the file name, absolute.
	SecretFiles []string
}

// Listen says where hosts reach the gateway.
type Listen = listen.Listen

// State says where the gateway keeps what must last.
type State struct{ Dir string }

// Auth says who may come in.
type Auth struct {
	Keys      []auth.Key
	Stdio     *gateway.Principal // who a stdio host is; nil = none may come by stdio
	Anonymous *gateway.Principal // who a request without credentials is; nil = refused
	Issuers   []Issuer
	Scopes    []string // that hosts are told to ask their issuer for
}

// Policy says where the policy is and how long a decision may take.
type Policy = delivery.Policy

// Limits bounds what passes through; sizes in bytes.
type Limits struct {
	Body                    int           // of one request
	List                    int           // of one upstream list, all pages
	Message                 int           // of one message of an upstream; 0 = twice Result
	Result, Item            int           // of one result; of one text or other item of it: as they are delivered
	Depth                   int           // nesting of JSON
	CallTimeout, RepeatWait time.Duration // of one call; of a repeat for the call with its key that is under way
	Rates                   Rates
}

// Rate is so much in a time, Rates what is bounded by one.
type (
	Rate  = rates.Rate
	Rates = rates.Rates
)

// Durability says when an event counts as recorded.
type Durability string

// The durabilities.
const (
	Process Durability = "process" // written to the kernel: survives the process
	Disk    Durability = "disk"    // synced: survives the machine
)

// Subjects says how events name people.
type Subjects string

// The ways to name subjects.
const (
	Pseudonym Subjects = "pseudonym"
	Plain     Subjects = "plain"
)

// Upstream is one third-party server; exactly one of Stdio and HTTP is set.
type Upstream struct {
	ID               string
	Pos              gateway.Pos
	Stdio            *Stdio
	HTTP             *HTTP
	Timeout          time.Duration // of one call
	Circuit          Circuit
	Refresh          Refresh
	Revision         Revision
	Relay            []Relay
	Extensions       []string         // of the protocol, that hosts and it may agree on
	Content          redact.Content   // how it is delivered
	TrustDefinitions bool             // serves what it lists, unreviewed: for test suites only
	Missing          gateway.Problems // secrets of it that are not there: it is not to be reached; nil = none
}

// Secret is a value that the file names by reference.
type Secret = secret.Secret

// Stdio is an upstream that runs as a child process.
type Stdio struct {
	Command    []string
	Dir        string            // working directory
	PassEnv    []string          // names of the gateway's variables that the child sees
	Env        map[string]Secret // further variables
	Confine    *Confine          // nil = kept from what is the gateway's, where the kernel can
	Unconfined bool              // unsafe_unconfined was set: not even that
	InlineCode bool              // unsafe_inline_code was set
	Start      time.Duration     // to start and introduce itself
}

// Confine is what a child may reach; everything else is out of its reach. What
// of it cannot be had keeps the upstream from being started.
type Confine struct {
	Read, Write []string // directories and files
	Network     confine.Network
	UID, GID    int // its own user and group; 0 = the gateway's
	Limits      confine.Limits
	Pos         gateway.Pos
}

// HTTP is an upstream behind a URL.
type HTTP struct {
	URL    string
	Bearer Secret // the zero Secret = no fixed credential
	Grant  *Grant // where tokens are got instead; nil = nowhere

	Networks reach.Networks // of the configuration
}

// Circuit says when an upstream is called no more for a while.
type Circuit struct {
	After int           // calls in a row that ran out of time
	Rest  time.Duration // until one is tried again
}

// Refresh says how often definitions are fetched anew.
type Refresh struct {
	Every  time.Duration // where the upstream names no time
	TTLCap time.Duration // the longest that an upstream's own time is believed
}

// Downgrade says what happens when an upstream falls back to an older revision
// than it was seen with.
type Downgrade string

// The treatments of a downgrade.
const (
	RefuseDowngrade Downgrade = "refuse"
	WarnDowngrade   Downgrade = "warn" // allowed, and said
	AllowDowngrade  Downgrade = "allow"
)

// Revision bounds the protocol revisions spoken with an upstream.
type Revision struct {
	Minimum   string // "" = any that is known
	Downgrade Downgrade
}

// Relay is something that a legacy upstream may ask of a legacy host.
type Relay string

// What may be relayed.
const (
	RelayElicitation Relay = "elicitation"
	RelaySampling    Relay = "sampling"
	RelayRoots       Relay = "roots"
)

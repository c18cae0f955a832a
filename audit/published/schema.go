package published

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mcp-gateway/audit"
	"mcp-gateway/gateway"
)

// member says of one field what its values look like and what it means.
type member struct{ shape, means string }

// The shapes of values, as JSON Schema.
const (
	shapeID     = `"type":"string","pattern":"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"`
	shapeNumber = `"type":"integer","minimum":1`
	shapeHash   = `"type":"string","pattern":"^[0-9a-f]{64}$"`
	shapeSum    = `"type":"string","pattern":"^[0-9a-f]{32}$"`
	shapeKeyed  = `"type":"string","pattern":"^([A-Za-z0-9_.-]{1,32}:([0-9a-f]{32}|[0-9a-f]{64})|invalid)$"`
	shapeIdent  = `"type":"string","pattern":"^[A-Za-z0-9_.-]{1,128}$"`
	shapeHost   = `"type":"string","pattern":"^[A-Za-z0-9_.:-]{1,64}$"`
	shapeLabel  = `"type":"string","maxLength":128`
	shapeVer    = `"type":"string","pattern":"^[A-Za-z0-9_.:+-]{1,128}$"`
	shapeDigest = `"type":"string","pattern":"^((sha256-jcs1|sha256):[0-9a-f]{64}|invalid)$"`
	shapeWord   = `"type":"string","pattern":"^[a-z][a-z0-9_.-]{0,63}$"`
	shapeWords  = `"type":"array","maxItems":9,"items":{` + shapeWord + `}`
	shapeFaults = `"type":"array","maxItems":9,"items":{"type":"string","pattern":"^/[^ ]* [A-Za-z0-9_.$/~-]+$","maxLength":128}`
	shapeCounts = `"type":"object","maxProperties":16,"additionalProperties":{"type":"integer","minimum":0}`
	shapeEra    = `"enum":["modern","legacy","invalid"]`
	shapeDate   = `"type":"string","pattern":"^([0-9]{4}-[0-9]{2}-[0-9]{2}|_OTHER)$"`
	shapeTime   = `"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{9}Z$"`
)

// members describes the fields of the table by name. A test holds that it
// describes each, and nothing else.
func members() map[string]member {
	return map[string]member{
		"type":    {enum(audit.Types()), "what kind of thing happened"},
		"seq":     {shapeNumber, "number in the writer's chain, from 1, without gaps"},
		"action":  {shapeID, "joins the events of one call, or of one subscription"},
		"id":      {shapeID, "of this event (UUIDv7)"},
		"time":    {shapeTime, "what the wall clock said; seq gives the order"},
		"replica": {shapeIdent, "the gateway that wrote it"},
		"boot":    {shapeNumber, "which start of the gateway; gateway.started of that boot names the build"},
		"prev":    {shapeHash, "SHA-256 of the line before; of a writer's first line: of the event that of_boot and of_seq name"},

		"trace":     {shapeSum, "W3C trace id of the request"},
		"request":   {`"type":"string","pattern":"^(-?[0-9]{1,20}|[A-Za-z0-9_.-]{1,32}:[0-9a-f]{32}|invalid)$"`, "the host's JSON-RPC id: an integer, or a keyed digest of another id"},
		"run":       {shapeHost, "what the host calls its run (_meta, mcp-gateway/run); claimed"},
		"step":      {shapeHost, "what the host calls its step; claimed"},
		"call":      {shapeHost, "what the host calls this call; claimed"},
		"principal": {shapeKeyed, "pseudonym of who asked: keyed digest behind the id of its key"},
		"subject":   {shapeLabel, "who asked, in clear, only where configured"},
		"tenant":    {shapeLabel, "tenant of the principal"},
		"client":    {shapeLabel, "client of the principal, such as the id of a key"},
		"method":    {`"type":"string","maxLength":64`, "method of the protocol; one that is not known is _OTHER"},
		"transport": {`"enum":["http","stdio","invalid"]`, "how the host is connected"},
		"era":       {shapeEra, "of the protocol, host to gateway"},
		"revision":  {shapeDate, "of the protocol, host to gateway"},

		"upstream_era":      {shapeEra, "of the protocol, gateway to upstream"},
		"upstream_revision": {shapeDate, "of the protocol, gateway to upstream"},
		"upstream_version":  {`"type":"string","pattern":"^(v?[0-9][A-Za-z0-9.+-]{0,31}|invalid)$"`, "which version the server claims to be"},
		"upstream":          {shapeIdent, "the upstream's id in the configuration"},
		"tool":              {shapeIdent, "exposed name of what was called"},
		"tool_ref":          {shapeKeyed, "instead of tool: keyed digest of a name that is not served, or of a URI"},
		"definition":        {shapeDigest, "of the definition as the server sent it, canonical"},
		"schema":            {shapeSum, "first half of the SHA-256 over its input and output schema, canonical"},
		"was":               {shapeDigest, "what stood there before"},
		"state":             {enum(gateway.ExposureStates()), "how the definition, or the upstream, stands in review"},
		"identity":          {shapeDigest, "what the upstream is now"},
		"instructions":      {shapeDigest, "of what the upstream tells models"},
		"class":             {`"enum":["read","write","destructive","invalid"]`, "what the reviewer says the tool does to the world"},

		"policy":      {shapeVer, "revision of the policy; in events of calls the beginning of the one that policy.loaded names"},
		"bundle":      {shapeIdent, "what the configuration calls the bundle that was refused"},
		"input":       {shapeDigest, "of the decision's argument-free input, kept apart"},
		"effect":      {`"enum":["allow","deny","ask","invalid"]`, "what policy decided"},
		"reasons":     {shapeWords, "why"},
		"obligations": {shapeWords, "what policy asked for besides"},
		"faults":      {shapeFaults, "where arguments broke the pinned schema: declared names and the keyword"},
		"approval":    {shapeID, "of the ticket that was asked for, answered, or used"},
		"approver":    {shapeKeyed, "pseudonym of who answered a ticket, labelled a call or read a detail"},
		"label":       {shapeWord, "a person's judgement of a call; of what somebody did to a ticket, the way by which they came: cli, api, console"},
		"receipt":     {shapeID, "of the receipt that names this event"},
		"code":        {`"type":"string","maxLength":64`, "which refusal or failure; none of a success"},
		"outcome":     {`"type":"string","maxLength":64`, "what became of a call that was sent"},

		"args":            {shapeKeyed, "keyed digest of the canonical arguments, bound to principal and tool"},
		"args_bytes":      {shapeNumber, "size of the arguments"},
		"result_bytes":    {shapeNumber, "size of the result as released"},
		"redactions":      {shapeCounts, "secrets taken out of the answer, by class"},
		"findings":        {shapeCounts, "what else was found, by class"},
		"retries":         {shapeNumber, "how often the call was sent to the upstream again"},
		"stages_us":       {shapeCounts, "how long stages took that took 10 µs or more"},
		"duration_us":     {shapeNumber, "how long the whole took; of tools.changed, for how long at most it can have been served unseen"},
		"offered":         {shapeNumber, "how many a list offered; of a subscription: to how many things"},
		"offered_digest":  {shapeHash, "over their names in order"},
		"withheld":        {shapeNumber, "how many it withheld"},
		"withheld_digest": {shapeHash, "over their names in order"},
		"added":           {shapeNumber, "how many a refresh found new"},
		"changed":         {shapeNumber, "how many it found changed"},
		"removed":         {shapeNumber, "how many it found gone"},
		"count":           {shapeNumber, "how many requests were refused, notifications sent, events deleted"},
		"source":          {shapeKeyed, "keyed digest of where refused requests came from"},
		"build":           {shapeVer, "of the gateway"},
		"config":          {shapeVer, "digest of the configuration"},

		"of_replica": {shapeIdent, "the writer of the event that this one is about"},
		"of_boot":    {shapeNumber, "its boot"},
		"of_seq":     {shapeNumber, "its number"},
		"cut_bytes":  {shapeNumber, "length of a torn tail that was cut"},
		"left_out":   {shapeNumber, "how many steps of leaving fields out it took for the event to have at most 1300 bytes (tool.decided) or 600 (tool.finished); the guide to the record lists them"},
	}
}

func enum[T ~string](words []T) string {
	b := []byte(`"enum":[`)
	for _, w := range append(words, "invalid") {
		b = append(strconv.AppendQuote(b, string(w)), ',')
	}
	return string(append(b[:len(b)-1], ']'))
}

// Schema returns the JSON Schema (2020-12) of one event, for those who read
// journals and exports. The members stand in the order in which they are written.
func Schema() []byte {
	b := []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Audit event of mcp-gateway",` +
		`"description":"One line of the journal. A member that has no value is absent.","type":"object",` +
		`"required":["v","type"],"additionalProperties":false,"properties":{"v":{"const":` + strconv.Itoa(audit.SchemaVersion) + `}`)
	all := members()
	for name := range audit.Fields() {
		m := all[name]
		b = append(b, `,"`+name+`":{`+m.shape+`,"description":`...)
		b = append(strconv.AppendQuote(b, m.means), '}')
	}
	b = append(b, "}}"...)
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		panic(err) // every shape is JSON: a test holds it
	}
	out.WriteByte('\n')
	return out.Bytes()
}

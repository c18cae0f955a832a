package findings

import (
	"regexp"
	"strings"
	"unicode"

	"mcp-gateway/protocol"
)

// pattern is one way of saying what a finding is about, in lower case with single
// spaces. Each asks for two things at once, an order and its strange object: either
// alone is what honest descriptions are made of.
type pattern struct {
	code  Code
	words *regexp.Regexp
}

func patterns() []pattern {
	return []pattern{
		{Directive, regexp.MustCompile(`\b(ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(previous|prior|above|earlier|system|other|existing|your)\b[^.]{0,20}\b(instructions?|prompts?|rules|guidelines|safety)\b`)},
		{Directive, regexp.MustCompile(`<(important|system|secret|instructions?|hidden|admin|sys)>|\[(system|inst)\]|<\|im_start\|>`)},
		{Directive, regexp.MustCompile(`\b(send|post|forward|upload|copy|include|append|attach|put|paste|transmit|exfiltrate|leak|pass)\b[^.]{0,60}\b((whole|entire|full|complete) (conversation|chat|context)|conversation history|chat history|system prompt|(last|latest|any|all|every|user's) (passwords?|credentials?|secrets?|private keys?|api keys?))\b`)},
		{Directive, regexp.MustCompile(`\b(before|after|whenever|every time|each time)\b[^.]{0,40}\b(this|any|every|each|all|another|other)\b[^.]{0,15}\b(tools?|calls?|servers?|answers?|responses?|messages?)\b[^.]{0,60}\b(send|post|forward|upload|copy|transmit|e-?mail)\b[^.]{0,60}(https?://|@|\bto [a-z0-9]+_[a-z0-9_]+)`)},
		{Directive, regexp.MustCompile(`\b(first|also|always|then)\b[^.]{0,10}\b(read|open|cat|load|access|retrieve|fetch)\b[^.]{0,60}\b(ssh|private key|credentials?|passwords?|id_rsa|secrets?|keychain|cookies|\.env)\b`)},
		{Directive, regexp.MustCompile(`\b(run|call|invoke|execute) [a-z0-9_.-]*[a-z0-9]_[a-z0-9_.-]+ (next|afterwards|immediately|right away)\b`)},
		{Directive, regexp.MustCompile(`\byou are (now|no longer)\b|\bnew instructions\b[^.]{0,5}:|\balso (copy|bcc|cc|notify|include) [^ @]+@`)},
		{Concealment, regexp.MustCompile(`\b(do not|don't|never|must not|without|avoid)\b[^.]{0,25}\b(tell|telling|inform|informing|mention it|mention this|mentioning|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\b[^.]{0,25}\b(the users?|users?|anyone|anybody|humans?|operators?|people)\b`)},
		{Concealment, regexp.MustCompile(`\bkeep (that|this|it) (to yourself|secret|hidden|from the user)\b|\b(hide|conceal) (this|that|it|them) from\b|\b(silently|secretly|covertly)\b[^.]{0,30}\b(send|copy|call|include|read|post|forward|upload|run)\b`)},
		{Concealment, regexp.MustCompile(`\b(tell|assure) the user\b[^.]{0,20}\b(it|that|all|everything)\b[^.]{0,10}\b(worked|succeeded|is fine|went well)\b`)},
		{SensitivePath, regexp.MustCompile(`(~|\$home|/root|/home/[^/ ]+)/\.(ssh|aws|gnupg|netrc|docker/config|config/gcloud)\b|\bid_(rsa|ed25519|ecdsa|dsa)\b|/etc/(passwd|shadow|sudoers)\b|\.aws/credentials|\bauthorized_keys\b|\bssh (private )?keys? file|\bprivate ssh keys?\b|\bssh private keys?\b`)},
	}
}

// sensitive are the word pairs by which the name of an argument asks for a key.
func sensitive() [][2]string {
	return [][2]string{{"id", "rsa"}, {"id", "ed25519"}, {"ssh", "key"}, {"ssh", "id"}, {"etc", "passwd"}, {"etc", "shadow"}, {"aws", "credentials"}}
}

// prose looks at one JSON string that a model reads.
func (in *inspection) prose(at string, raw []byte) {
	text, ok := protocol.Text(raw)
	if !ok {
		return
	}
	text = visible(text)
	in.mention(text)
	plain := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, p := range table {
		if span := p.words.FindStringIndex(plain); span != nil {
			in.add(p.code, at, plain[span[0]:span[1]])
		}
	}
}

// visible returns a text without what does not show: words that are split by it read,
// to a model, like words that are not.
func visible(text string) string {
	if strings.IndexFunc(text, hides) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if hides(r) {
			return -1
		}
		return r
	}, sequence.ReplaceAllString(text, ""))
}

// hides says whether a rune shows nothing and parts no words: format characters,
// selectors, fillers, and controls but for white space.
func hides(r rune) bool {
	switch {
	case r < 0x7F:
		return r < ' ' && !unicode.IsSpace(r)
	default:
		return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	}
}

// sequence is one escape sequence of a terminal (ECMA-48 sections 5.4 and 5.6), from
// its beginning to its end or to that of the text.
var sequence = regexp.MustCompile("(?s)(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f]).*?(?:\x1b\\\\|\x07|\u009c|$)|\x1b[@-~]?")

// table is compiled once and never written.
var table = patterns()

// label looks at a name that the upstream chose: of an argument or a definition.
func (in *inspection) label(at, name string) {
	words := split(visible(name))
	for i := 0; i+1 < len(words); i++ {
		for _, pair := range sensitive() {
			if words[i] == pair[0] && words[i+1] == pair[1] {
				in.add(SensitivePath, at, name)
			}
		}
	}
	if len(words) > 6 { // a sentence in the shape of a name
		plain := strings.Join(words, " ")
		for _, p := range table {
			if p.words.MatchString(plain) {
				in.add(p.code, at, name)
			}
		}
	}
}

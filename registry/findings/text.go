package findings

import (
	"regexp"
	"strings"
	"unicode"

	"mcp-gateway/protocol"
	"mcp-gateway/registry/findings/literal"
)

// pattern is one way of saying what a finding is about, in lower case with single
// spaces. Each asks for two things at once, an order and its strange object: either
// alone is what honest descriptions are made of.
type pattern struct {
	code  Code
	words *regexp.Regexp
	gate  literal.Gate // most texts hold no word of it
}

func worded(code Code, words string) pattern {
	return pattern{code, regexp.MustCompile(words), literal.Of(words)}
}

func patterns() []pattern {
	return []pattern{
		worded(Directive, `\b(ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(previous|prior|above|earlier|system|other|existing|your)\b[^.]{0,20}\b(instructions?|prompts?|rules|guidelines|safety)\b`),
		worded(Directive, `<(important|system|secret|instructions?|hidden|admin|sys)>|\[(system|inst)\]|<\|im_start\|>`),
		worded(Directive, `\b(send|post|forward|upload|copy|include|append|attach|put|paste|transmit|exfiltrate|leak|pass)\b[^.]{0,60}\b((whole|entire|full|complete) (conversation|chat|context)|conversation history|chat history|system prompt|(last|latest|any|all|every|user's) (passwords?|credentials?|secrets?|private keys?|api keys?))\b`),
		worded(Directive, `\b(before|after|whenever|every time|each time)\b[^.]{0,40}\b(this|any|every|each|all|another|other)\b[^.]{0,15}\b(tools?|calls?|servers?|answers?|responses?|messages?)\b[^.]{0,60}\b(send|post|forward|upload|copy|transmit|e-?mail)\b[^.]{0,60}(https?://|@|\bto [a-z0-9]+_[a-z0-9_]+)`),
		worded(Directive, `\b(first|also|always|then)\b[^.]{0,10}\b(read|open|cat|load|access|retrieve|fetch)\b[^.]{0,60}\b(ssh|private key|credentials?|passwords?|id_rsa|secrets?|keychain|cookies|\.env)\b`),
		worded(Directive, `\b(run|call|invoke|execute) [a-z0-9_.-]*[a-z0-9]_[a-z0-9_.-]+ (next|afterwards|immediately|right away)\b`),
		worded(Directive, `\byou are (now|no longer)\b|\bnew instructions\b[^.]{0,5}:|\balso (copy|bcc|cc|notify|include) [^ @]+@`),
		worded(Directive, `\b(if|when|whenever)\b[^.]{0,25}\b(asked|asks|questioned|queried|inquires)\b[^.]{0,80}\b(respond|reply|answer|pretend|insist|claim)\b[^.]{0,15}\b(with|that|only|it|you|to be|nothing)\b`),
		worded(Environment, `\b(returns?|prints?|dumps?|lists?|shows?|gets?|reads?|exposes?|reveals?)\b[^.]{0,10}\b(all|every|full|whole|entire|complete)\b[^.]{0,20}\benvironment( variables?)?\b|\bprocess\.env\b|\bos\.environ\b`),
		worded(Concealment, `\b(do not|don't|never|must not|without|avoid)\b[^.]{0,25}\b(tell|telling|inform|informing|mention it|mention this|mentioning|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\b[^.]{0,25}\b(the users?|users?|anyone|anybody|humans?|operators?|people)\b`),
		worded(Concealment, `\bkeep (that|this|it) (to yourself|secret|hidden|from the user)\b|\b(hide|conceal) (this|that|it|them) from\b|\b(silently|secretly|covertly)\b[^.]{0,30}\b(send|copy|call|include|read|post|forward|upload|run)\b`),
		worded(Concealment, `\b(tell|assure) the user\b[^.]{0,20}\b(it|that|all|everything)\b[^.]{0,10}\b(worked|succeeded|is fine|went well)\b`),
		worded(Directive, `\b(ignoriere?|missachte|vergiss)\b[^.]{0,30}\b(vorherigen?|bisherigen?|obigen?|alle)\b[^.]{0,20}\b(anweisungen|regeln|vorgaben)\b|\b(ignore[rz]?|oublie[rz]?)\b[^.]{0,20}\b(toutes|les|vos)\b[^.]{0,20}\b(instructions|consignes|regles)\b|\b(ignora|ignore|olvida|dimentica|esqueca)\b[^.]{0,20}\b(todas|las|tus|tutte|le|as|suas)\b[^.]{0,20}\b(instrucciones|istruzioni|instrucoes|reglas|regole|regras)\b`),
		worded(Directive, `(忽略|無視|无视|忘记|忘記).{0,12}(指令|指示|规则|規則|提示词)|(指示|命令|ルール).{0,4}(を)?(無視|忘れ)|(игнорируй|игнорируйте|забудь|забудьте).{0,20}(инструкции|правила|указания)|이전.{0,6}(지시|명령).{0,6}(무시|잊)`),
		worded(Concealment, `\b(sag|sage|sagen sie|teile|verrate)\b[^.]{0,30}\b(benutzer|nutzer|anwender)\b[^.]{0,20}\b(nicht|nichts)\b|\bne (dis|dites|informe[zr]?|mentionne[zr]?)\b[^.]{0,20}\b(utilisateur|personne)\b|\bno (le )?(digas|informes|menciones)\b[^.]{0,20}\busuario\b|\bnon (dire|informare)\b[^.]{0,20}\butente\b`),
		worded(Concealment, `(不要|请勿|切勿|別|别).{0,4}(告诉|告訴|通知|告知).{0,4}(用户|使用者|用戶)|ユーザー(に|には).{0,8}(言わない|伝えない|知らせない)|не (говори|говорите|сообщай|сообщайте).{0,12}(пользовател)|사용자에게.{0,8}(말하지|알리지)`),
		worded(Concealment, `<!--[^>]{3,}|\[//\]: # |\bdisplay: ?none\b|\bfont-size: ?0|<[a-z]+ hidden\b|\bcolor: ?(transparent|white)\b`),
		worded(SensitivePath, `(~|\$\{?home\}?|%userprofile%|/root|/home/[^/ ]+|/users/[^/ ]+|[a-z]:\\+users\\+[^\\ ]+)[/\\]+\.(ssh|aws|azure|gnupg|netrc|npmrc|pypirc|pgpass|git-credentials|kube|docker/config|config/(gcloud|gh)|cursor|codeium|claude)\b|\bid_(rsa|ed25519|ecdsa|dsa)\b|/etc/(passwd|shadow|sudoers|gshadow)\b|[./]aws/credentials|\bauthorized_keys\b|\bssh (private )?keys? file|\bprivate ssh keys?\b|\bssh private keys?\b|/proc/(self|[0-9]+)/environ|/(var/)?run/secrets/|\.(kube/config|git-credentials|bash_history|zsh_history|docker/config\.json)\b|\bclaude_desktop_config\.json|\.cursor/mcp\.json|\blogin\.keychain|\b(cookies|key4|logins)\.(sqlite|db|json)\b`),
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
	if spaced(text) {
		if gap := padding.FindStringIndex(text); gap != nil {
			in.add(Concealment, at, strings.TrimSpace(text[gap[1]-1:]))
		}
	}
	seen := strings.Join(strings.Fields(strings.ToLower(plain(text))), " ")
	in.look(at, seen)
	if !isASCII(text) { // in its own letters
		in.look(at, strings.Join(strings.Fields(strings.ToLower(text)), " "))
	}
	if bare := marks.Replace(seen); bare != seen { // what Markdown draws the words of bold
		in.look(at, bare)
	}
}

func (in *inspection) look(at, text string) {
	for _, p := range table {
		if !p.gate.Open(text) {
			continue
		}
		if span := p.words.FindStringIndex(text); span != nil {
			in.add(p.code, at, text[span[0]:span[1]])
		}
	}
}

// padding is so much white space before more text that what follows is out of sight.
var padding = regexp.MustCompile(`(\s*\n){25,}\s*\S|[ \t\x{a0}\x{2000}-\x{200a}\x{3000}]{120,}\S`)

// spaced says whether there is as much white space at one place as the least padding.
func spaced(text string) bool {
	run := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			run = 0
			continue
		}
		if run++; run >= 25 {
			return true
		}
	}
	return false
}

// marks are what Markdown puts around and into words, and never between them.
var marks = strings.NewReplacer("**", "", "__", "", "`", "", "~~", "")

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
	words := split(plain(visible(name)))
	if looksLike(name) {
		in.add(Confusable, at, name)
	}
	for i := 0; i+1 < len(words); i++ {
		for _, pair := range sensitive() {
			if words[i] == pair[0] && words[i+1] == pair[1] {
				in.add(SensitivePath, at, name)
			}
		}
	}
	if pairs(words, "get env", "print env", "dump env", "read env", "show env", "get environment", "print environment", "dump environment") {
		in.add(Environment, at, name)
	}
	if len(words) > 6 { // a sentence in the shape of a name
		in.look(at, strings.Join(words, " "))
	}
}

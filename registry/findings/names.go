package findings

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcp-gateway/gateway"
	"mcp-gateway/protocol"
)

// split cuts a name into lower-case words at separators and humps.
func split(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	lower := false // whether the rune before was a small letter or a digit
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = !unicode.IsUpper(r)
		word.WriteRune(unicode.ToLower(r))
	}
	flush()
	return words
}

// Effect returns what a tool's name says that it does, by the first verb among its first
// three words and those that "and", "or" and "then" join to it: the gravest. "" where it
// says nothing clear.
func Effect(name string) gateway.SideEffect {
	words := split(name)
	var found gateway.SideEffect
	for i, w := range words {
		joined := i > 0 && (words[i-1] == "and" || words[i-1] == "or" || words[i-1] == "then")
		if e := verb(w); e != "" && (found == "" && i < 3 || joined && graver(e, found)) {
			found = e
		}
	}
	return found
}

func graver(a, b gateway.SideEffect) bool {
	return a == gateway.Destructive && b != a || a == gateway.Write && b == gateway.Read
}

func verb(word string) gateway.SideEffect {
	switch word {
	case "delete", "drop", "destroy", "remove", "purge", "wipe", "erase", "truncate", "kill", "terminate", "revoke", "uninstall",
		"overwrite", "reset", "rollback", "shutdown", "format", "rm", "del", "unpublish", "ban":
		return gateway.Destructive
	case "create", "insert", "update", "send", "write", "edit", "modify", "patch", "upload", "publish", "rename",
		"merge", "push", "commit", "assign", "invite", "transfer", "pay", "post", "add", "set", "move", "reply", "install", "deploy",
		"upsert", "replace", "append", "store", "put", "submit", "forward", "share", "approve", "reject", "grant", "enable", "disable",
		"cancel", "archive", "restore", "restart", "subscribe", "unsubscribe", "charge", "refund", "purchase", "buy", "withdraw", "rotate", "notify", "email":
		return gateway.Write
	case "get", "list", "search", "find", "read", "fetch", "query", "show", "describe", "view", "count", "check", "lookup", "explain", "validate", "preview", "analyze":
		return gateway.Read
	default:
		return ""
	}
}

// claims looks at what the upstream says of its own tool, against its name.
func (in *inspection) claims(annotations []byte) {
	if protocol.Kind(annotations) != '{' {
		return
	}
	if title, ok := protocol.Member(annotations, "title"); ok {
		in.prose("/annotations/title", title)
	}
	hint, _ := protocol.Member(annotations, "readOnlyHint")
	if e := Effect(in.name); protocol.Kind(hint) == 't' && (e == gateway.Destructive || e == gateway.Write) {
		in.add(NameAgainstEffect, "/annotations/readOnlyHint", in.name)
	}
}

// Against returns the findings that a review itself gives rise to: a tool whose
// name says that it changes something, reviewed as one that reads.
func Against(name string, reviewed gateway.SideEffect) []gateway.Finding {
	if e := Effect(name); reviewed == gateway.Read && (e == gateway.Write || e == gateway.Destructive) {
		return []gateway.Finding{finding(NameAgainstEffect, "/name", name)}
	}
	return nil
}

// identifier is what a text may say that is a tool's name: with a separator or a
// hump inside, since single words are ordinary ones.
var identifier = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:[_.-]+[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+`)

// mayName says whether an identifier can stand in a text: few texts have a separator, or
// a hump, within a word.
func mayName(text string) bool {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '_' || c == '.' || c == '-':
			if text[i-1] != ' ' && i+1 < len(text) && text[i+1] != ' ' {
				return true
			}
		case 'A' <= c && c <= 'Z' && 'a' <= text[i-1] && text[i-1] <= 'z':
			return true
		}
	}
	return false
}

// mostMentions bounds what is kept of one definition.
const mostMentions = 500

func (in *inspection) mention(text string) {
	if !mayName(text) {
		return
	}
	for _, word := range identifier.FindAllString(text, mostMentions) {
		if len(in.mentions) >= mostMentions {
			return
		}
		if in.mentions == nil {
			in.mentions = make(map[string]bool)
		}
		in.mentions[word] = true
	}
}

func (in *inspection) mentioned() []string {
	all := make([]string, 0, len(in.mentions))
	for word := range in.mentions {
		all = append(all, word)
	}
	slices.Sort(all)
	return all
}

// Fold returns a name without what people overlook when they write one: case, and
// which separator stands between words.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return unicode.ToLower(r)
	}, name)
}

// Skeleton returns what a folded name looks like at a glance, with one sign for
// those that are read as one another.
func Skeleton(name string) string {
	s := strings.NewReplacer("rn", "m", "vv", "w").Replace(Fold(name))
	return strings.NewReplacer("0", "o", "1", "l", "i", "l", "5", "s").Replace(s)
}

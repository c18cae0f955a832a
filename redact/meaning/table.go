package meaning

import (
	"regexp"
	"strings"
	"sync"
)

// table is what is looked for. Literals are in lower case and have four bytes or
// more; a blank stands for any white space, and for what Markdown puts around
// words.
var table = sync.OnceValue(func() *index {
	const told = `(?:all |any |the |your |these |those |my |of |everything |previously )*`
	anchors := []anchor{
		{"ignore", Directive, lazy(`^ignore ` + told + `(?:previous|prior|above|earlier|preceding|other|system|safety|instructions?|rules|guidelines)\b`)},
		{"disregard", Directive, lazy(`^disregard ` + told + `(?:previous|prior|above|earlier|preceding|other|system|instructions?|rules|polic(?:y|ies))\b`)},
		{"forget", Directive, lazy(`^forget ` + told + `(?:previous|prior|instructions?|rules|everything|above)\b`)},
		{"override", Directive, lazy(`^override ` + told + `(?:instructions?|rules|safety|polic(?:y|ies)|restrictions|guidelines)\b`)},
		{"ignoriere", Directive, lazy(`^ignoriere (?:alle |die |deine )*(?:vorherigen|bisherigen|obigen|anweisungen|regeln)\b`)},
		{"ignorez", Directive, lazy(`^ignorez (?:toutes |les |vos )*(?:instructions|consignes|r.{1,2}gles)\b`)},
		{"ignora ", Directive, lazy(`^ignora (?:todas |las |tus |tutte |le )*(?:instrucciones|istruzioni|reglas|regole)\b`)},
		{"new instructions", Directive, nil},
		{"system prompt", Directive, nil},
		{"developer mode", Directive, lazy(`^developer mode (?:is )?(?:on|enabled|active)`)},
		{"system:", Directive, exactly(`^SYSTEM:\s*[A-Za-z]+ `)},
		{"### system", Directive, nil}, {"### instruction", Directive, nil}, {"<<sys>>", Directive, nil},
		{"assistant:", Directive, exactly(`^(?:ASSISTANT|Assistant):\s*[A-Za-z]+ `)},
		{"[system]", Directive, nil}, {"<system>", Directive, nil}, {"</system>", Directive, nil}, {"<|system|>", Directive, nil}, {"<|user|>", Directive, nil},
		{"<important>", Directive, nil}, {"<instructions>", Directive, nil}, {"<|im_start|>", Directive, nil}, {"[inst]", Directive, nil},
		{"instructions for the assistant", Directive, nil}, {"note to the assistant", Directive, nil}, {"note to ai", Directive, nil},
		{"attention ai", Directive, lazy(`^attention ai (?:agents?|assistants?|models?)\b`)},
		{"as an ai", Directive, lazy(`^as an ai\b[^.\n]{0,40}\b(?:you|must|should)\b`)},
		{"you must", Directive, lazy(`^you must (?:now |first |always |never |immediately )*(?:call|invoke|use|run|execute|send|forward|read|reveal|not tell|not mention|ignore)\b`)},
		{"you are now", Directive, lazy(`^you are now (?:a|an|in|the|free|allowed)\b`)},
		{"your new task", Directive, nil}, {"your real task", Directive, nil},
		{"do not tell", Directive, lazy(`^do not tell (?:the |your )?(?:user|human|operator|anyone)`)},
		{"do not mention", Directive, lazy(`^do not mention (?:this|it|these|that)\b`)},
		{"do not inform", Directive, lazy(`^do not inform (?:the |your )?(?:user|human|operator|anyone)`)},
		{"don't tell", Directive, lazy(`^don't tell (?:the |your )?(?:user|human|operator|anyone)`)},
		{"without telling", Directive, nil}, {"without informing the", Directive, nil},
		{"before using any", Directive, lazy(`^before using any (?:other )?tool`)},
		{"before calling any", Directive, lazy(`^before calling any (?:other )?tool`)},
		{"call the ", Directive, lazy(`^call the [\w.-]{1,64} tool\b`)},
		{"forward all", Directive, lazy(`^forward all [^.\n]{1,80}\bto\b`)},
		{"send the ", Directive, lazy(`^send the (?:contents?|keys?|tokens?|passwords?|files?|conversation|history|results?|full list)\b[^.\n]{0,80}\bto\b`)},
		{"to go on, call", Directive, nil}, {"to continue, call", Directive, nil},
		{"confirm=true", Directive, nil},
		{"](http", Address, nil}, {"](//", Address, nil}, {"]: http", Address, nil}, {"<http", Address, nil},
		{"<img", Address, lazy(`^<img\b[^>]{0,150}src`)}, {"<a href", Address, nil},
		{"<iframe", Address, nil}, {"<script", Address, nil}, {"<link ", Address, nil}, {"<svg", Address, lazy(`^<svg\b[^>]{0,150}(?:onload|href)`)},
		{"url(http", Address, nil}, {"javascript:", Address, lazy(`^javascript:\S`)}, {"data:text/html", Address, nil},
	}
	return newIndex(anchors)
})

// lazy compiles an expression, in any case, when it is first needed. Its blanks are
// as those of literals.
func lazy(expr string) func() *regexp.Regexp {
	expr = strings.NewReplacer(" ", `(?:[\s*_]|\\[nrt])+`, `\b`, `(?:\b|_)`).Replace(expr)
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) })
}

func exactly(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

package form

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"mcp-gateway/gateway"
)

// maxDepth bounds brackets in brackets and dashes on one line; the parser
// recurses over both.
const maxDepth = 32

// Document is one parsed file and the problems found in it so far.
type Document struct {
	file     string
	digest   [sha256.Size]byte
	lines    []string
	tokens   token.Tokens
	root     ast.Node // nil for an empty or unreadable file
	readable bool
	problems gateway.Problems
	masks    []mask
}

// Open parses a file as Parse does. A file that cannot be read is an unreadable
// document with a problem, "not_found" if it is not there.
func Open(path string, limit int) *Document {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	text, err := readAtMost(path, limit+1)
	if err == nil {
		return Parse(path, text, limit)
	}
	d := &Document{file: path}
	if errors.Is(err, fs.ErrNotExist) {
		d.report(gateway.Pos{File: path}, "not_found", "there is no such file")
	} else {
		d.report(gateway.Pos{File: path}, "unreadable", err.Error())
	}
	return d
}

func readAtMost(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// Parse reads text of at most limit bytes as one YAML document. It never
// fails: what is wrong with the text is among the document's Problems.
func Parse(file string, text []byte, limit int) *Document {
	d := &Document{file: file, digest: sha256.Sum256(text)}
	if len(text) > limit {
		d.report(gateway.Pos{File: file}, "file_too_large", fmt.Sprintf("the file has more than %d bytes", limit))
		return d
	}
	d.lines = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if !d.checkText(text) {
		return d
	}
	// The parser counts a lone carriage return as a line: it never sees one.
	tokens := lexer.Tokenize(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if !d.checkTokens(tokens) {
		return d
	}
	d.tokens = joinPlain(tokens)
	d.readable = d.parse()
	return d
}

// Read reads the whole document as v. An unreadable document is left alone.
func (d *Document) Read(v Value) {
	if d.readable {
		v.read(d.Root())
	}
}

// Readable reports whether the text was YAML of the kind that is read here.
func (d *Document) Readable() bool { return d.readable }

// File returns the path of the file, absolute if it was opened here.
func (d *Document) File() string { return d.file }

// Revision names the text: "sha256:" and its digest in hex.
func (d *Document) Revision() string { return "sha256:" + hex.EncodeToString(d.digest[:]) }

// Tree returns the syntax tree, nil for an empty file, and the tokens with the
// comments that it does not hold.
func (d *Document) Tree() (ast.Node, token.Tokens) { return d.root, d.tokens }

// Root returns the place of the whole document.
func (d *Document) Root() Place { return Place{doc: d, node: d.root} }

// Problems returns all that was found, in the order of positions.
func (d *Document) Problems() gateway.Problems {
	out := slices.Clone(d.problems)
	slices.SortStableFunc(out, func(a, b gateway.Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	for i := range out {
		out[i].Excerpt = d.excerpt(out[i].Pos)
	}
	return out
}

// Within returns the problems of that code with scalars of a place; nil for none.
func (d *Document) Within(p Place, code string) gateway.Problems {
	var within gateway.Problems
	for _, found := range d.Problems() {
		if found.Code == code && p.holds(found.Pos) {
			within = append(within, found)
		}
	}
	return within
}

func (d *Document) report(pos gateway.Pos, code, message string) {
	d.problems = append(d.problems, gateway.Problem{Pos: pos, Code: code, Message: message})
}

// checkText refuses bytes that are no text: bad UTF-8 and control characters.
func (d *Document) checkText(text []byte) bool {
	for i, line := range bytes.Split(text, []byte("\n")) {
		pos := gateway.Pos{File: d.file, Line: i + 1}
		if !utf8.Valid(line) {
			d.report(pos, "not_utf8", "the line is not UTF-8")
			return false
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if j := bytes.IndexFunc(line, isControl); j >= 0 {
			pos.Col = utf8.RuneCount(line[:j]) + 1
			d.report(pos, "control_character", "control characters do not belong into this file")
			return false
		}
	}
	return true
}

// isControl holds for C0 and C1 controls but tab, and for the characters that
// change how a reviewer sees the line: byte order marks and bidirectional controls.
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' || r >= 0x7f && r <= 0x9f || r == 0xfeff ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// checkTokens refuses what the reader does not take, before the parser
// recurses over it.
func (d *Document) checkTokens(tokens token.Tokens) bool {
	depth, line, dashes := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, dashes = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			d.report(d.posOf(tk), "alias", "anchors, aliases and merge keys are not read here: write the value out")
		case token.TagType:
			d.report(d.posOf(tk), "tag", "tags are not read here: write the plain value")
		case token.DirectiveType, token.MappingKeyType:
			d.report(d.posOf(tk), "syntax", "directives and complex keys are not read here")
		}
		if depth > maxDepth || dashes > maxDepth {
			d.report(d.posOf(tk), "too_deep", fmt.Sprintf("nested more than %d deep", maxDepth))
			return false
		}
	}
	return len(d.problems) == 0
}

// joinPlain mends what the lexer splits within a flow mapping: a plain scalar
// such as service:read, whose colon no blank follows, is one scalar (YAML 1.2.2
// section 7.3.3) and no key.
func joinPlain(tokens token.Tokens) token.Tokens {
	var out token.Tokens
	for i := 0; i < len(tokens); i++ {
		tk := tokens[i]
		if n := len(out); n > 0 && i+1 < len(tokens) && tk.Type == token.MappingValueType {
			key, value := out[n-1], tokens[i+1]
			if adjacent(key, tk) && adjacent(tk, value) {
				joined := token.New(key.Value+":"+value.Value, key.Origin+":"+value.Origin, key.Position)
				out = out[:n-1]
				out.Add(joined)
				i++
				continue
			}
		}
		out.Add(tk)
	}
	return out
}

// adjacent reports whether b begins where a ends and neither is quoted or an
// indicator other than the colon.
func adjacent(a, b *token.Token) bool {
	for _, tk := range [...]*token.Token{a, b} {
		if tk.Type != token.MappingValueType && tk.CharacterType != token.CharacterTypeMiscellaneous {
			return false
		}
	}
	return a.Position.Line == b.Position.Line && a.Position.Column+utf8.RuneCountInString(a.Value) == b.Position.Column
}

// parse builds the syntax tree. The parser has panicked on odd input before;
// that is a fault of the file, not of the process.
func (d *Document) parse() (ok bool) {
	defer func() {
		if recover() != nil {
			d.report(gateway.Pos{File: d.file}, "syntax", "the file cannot be parsed as YAML")
			ok = false
		}
	}()
	f, err := parser.Parse(d.tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		pos, message := gateway.Pos{File: d.file}, "the file cannot be parsed as YAML"
		if se, is := errors.AsType[*yaml.SyntaxError](err); is {
			pos, message = d.posOf(se.Token), se.Message
		}
		d.report(pos, "syntax", message)
		return false
	}
	if len(f.Docs) > 1 {
		d.report(Place{doc: d, node: f.Docs[1].Body}.Pos(), "many_documents", "the file holds more than one YAML document")
		return false
	}
	if len(f.Docs) == 1 {
		d.root = f.Docs[0].Body
	}
	return true
}

func (d *Document) posOf(tk *token.Token) gateway.Pos {
	if tk == nil || tk.Position == nil {
		return gateway.Pos{File: d.file}
	}
	return gateway.Pos{File: d.file, Line: tk.Position.Line, Col: tk.Position.Column}
}

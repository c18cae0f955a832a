package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcp-gateway/config/command"
	"mcp-gateway/config/listen"
	"mcp-gateway/gateway"
)

// Server is one server as a host's file names it.
type Server struct {
	ID      string // the host's name for it, in the spelling of upstream ids
	Named   string // as the host's file has it
	Command []string
	Dir     string
	Env     map[string]string // variable → the name of the gateway's variable that is to hold its value
	Plain   map[string]string // variable → its value, which is no secret
	URL     string
	Bearer  string   // the name of the gateway's variable that is to hold the credential; "" = none
	Dropped []string // what can't be taken over, for the person who imports
	Off     bool     // the host has it switched off: it is not added, and nothing else of it is read
}

// entry is one server in a host's file; hosts add members of their own.
type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"cwd"`
	URL     string            `json:"url"`
	Server  string            `json:"serverUrl"`
	Headers map[string]string `json:"headers"`
	Off     bool              `json:"disabled"`
	On      *bool             `json:"enabled"`
}

// Parse reads a host's JSON file, with comments and trailing commas where it has them:
// {"mcpServers": {…}}, {"servers": {…}}, or either below "mcp". secret says whether a text
// holds a credential. The error is a gateway.Problems with the faults of all servers; file
// is how it calls the file.
func Parse(file string, text []byte, secret func(string) bool) ([]Server, error) {
	found, err := entries(file, plain(text))
	if err != nil {
		return nil, err
	}
	d := desk{secret: secret, file: file}
	var all []Server
	ids := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if e := found[name]; e.Off || e.On != nil && !*e.On {
			all = append(all, Server{Named: name, Off: true})
			continue
		}
		s := d.server(found[name], name)
		if other, twice := ids[s.ID]; twice && s.ID != "" {
			d.report("repeated_id", "%q and %q would both be called %s; rename one of them in the host's file", other, name, s.ID)
		}
		ids[s.ID] = name
		all = append(all, s)
	}
	if d.problems != nil {
		return nil, d.problems
	}
	return all, nil
}

// entries returns the servers that strict JSON has, in whichever shape.
func entries(file string, text []byte) (map[string]entry, error) {
	var in struct {
		MCPServers map[string]entry `json:"mcpServers"`
		Servers    map[string]entry `json:"servers"`
		MCP        struct {
			MCPServers map[string]entry `json:"mcpServers"`
			Servers    map[string]entry `json:"servers"`
		} `json:"mcp"`
	}
	bad := func(offset int64, code, message string) error {
		line, column := place(text, int(offset)-1)
		return gateway.Problems{{Pos: gateway.Pos{File: file, Line: line, Col: column}, Code: code, Message: message}}
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &in); {
	case errors.As(err, &syntax):
		return nil, bad(syntax.Offset, "bad_json", syntax.Error())
	case errors.As(err, &kind): // whose value is not told
		is, _, _ := strings.Cut(kind.Value, " ")
		return nil, bad(kind.Offset, "wrong_type", fmt.Sprintf("%q is of kind %s, where hosts write another", kind.Field, is))
	case err != nil:
		return nil, gateway.Problems{{Pos: gateway.Pos{File: file}, Code: "bad_json", Message: err.Error()}}
	}
	for _, found := range []map[string]entry{in.MCPServers, in.Servers, in.MCP.MCPServers, in.MCP.Servers} {
		if found != nil {
			return found, nil
		}
	}
	return nil, gateway.Problems{{Pos: gateway.Pos{File: file}, Code: "bad_shape", Message: "neither `mcpServers` nor `servers` is there"}}
}

// desk is where the servers of one file are read.
type desk struct {
	secret   func(string) bool
	file     string
	problems gateway.Problems
}

func (d *desk) report(code, format string, args ...any) {
	d.problems = append(d.problems, gateway.Problem{Pos: gateway.Pos{File: d.file}, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (d *desk) server(e entry, name string) Server {
	s := Server{ID: id(name), Named: name, Dir: e.Dir, URL: e.URL + e.Server}
	if e.Command != "" {
		s.URL = ""
		s.Command = append([]string{e.Command}, e.Args...)
	}
	if s.ID == "" {
		d.report("bad_name", "%q has no letter to begin an upstream's id with", name)
	}
	if s.Command == nil && s.URL == "" {
		d.report("nothing_to_run", "%q has neither a command nor a url", name)
		return s
	}
	if slices.ContainsFunc(s.Command, d.secret) || d.secret(s.URL) {
		d.report("secret", "%q "+inTheOpen, name)
	} else if of := filled(append([]string{s.URL, s.Dir}, s.Command...)); of != "" {
		d.report("host_reference", "%q has %s where it is started or reached: its host fills that in, and the gateway does not; write what it stands for", name, of)
	} else {
		d.loads(&s, name)
	}
	for _, variable := range slices.Sorted(maps.Keys(e.Env)) {
		s.variable(variable, e.Env[variable], d.secret)
	}
	for _, header := range slices.Sorted(maps.Keys(e.Headers)) {
		value := e.Headers[header]
		if strings.EqualFold(header, "authorization") && len(value) > 7 && strings.EqualFold(value[:7], "bearer ") {
			s.Bearer = strings.ToUpper(strings.ReplaceAll(s.ID, "-", "_")) + "_TOKEN"
			continue
		}
		s.Dropped = append(s.Dropped, "header "+header)
	}
	return s
}

// filled returns the first reference in the texts that a host fills in, such as
// ${workspaceFolder}; "" = none.
func filled(texts []string) string {
	for _, text := range texts {
		_, after, found := strings.Cut(text, "${")
		if !found {
			continue
		}
		name, _, closed := strings.Cut(after, "}")
		odd := func(r rune) bool {
			return !('a' <= r|0x20 && r|0x20 <= 'z') && !('0' <= r && r <= '9') && !strings.ContainsRune("_-.:", r)
		}
		if !closed || strings.ContainsFunc(name, odd) {
			return "${…}"
		}
		return "${" + name + "}"
	}
	return ""
}

const inTheOpen = "has a secret in its command or url, where everybody on the machine can read it; give it by its environment first"

// loads refuses what would make upstreams.yaml one that does not load, or keep a secret in
// it.
func (d *desk) loads(s *Server, name string) {
	if s.Command != nil {
		if program, flag, found := command.InlineCode(s.Command); found {
			d.report("inline_code", "%q runs what stands in its arguments (%s %s), where no review sees it; put it into a file first", name, filepath.Base(program), flag)
		}
		if _, found := command.SecretArgument(s.Command); found {
			d.report("secret", "%q "+inTheOpen, name)
		}
		return
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Fragment != "":
		d.report("bad_url", "the url of %q is no address such as https://tracker.example/mcp", name)
		return
	case u.Scheme == "http" && !listen.Loopback(u.Hostname()):
		d.report("bad_url", "%q is reached in the clear: plain http is for loopback only; use https", name)
	}
	bare := u.User == nil
	for key, values := range u.Query() {
		bare = bare && !guarded(key) && !slices.ContainsFunc(values, opaque)
	}
	if !bare {
		d.report("secret", "%q "+inTheOpen, name)
	}
}

// variable takes one variable over: as it is where neither its name nor its value may be
// that of a secret, else as a reference.
func (s *Server) variable(name, value string, secret func(string) bool) {
	switch {
	case value == "":
		s.Dropped = append(s.Dropped, "variable "+name+", which is empty")
	case guarded(name) || opaque(value) || secret(value) || secret(name+"="+value):
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = name
	default:
		if s.Plain == nil {
			s.Plain = map[string]string{}
		}
		s.Plain[name] = value
	}
}

// guarded says whether a variable's name may be that of a secret. It asks for more than
// the configuration does: what is written into a file is not taken back.
func guarded(name string) bool {
	if command.SoundsSecret(name) {
		return true
	}
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if last := words[max(0, len(words)-1):]; slices.Contains(last, "PATH") || slices.Contains(last, "FILE") || slices.Contains(last, "DIR") {
		return false // says where something is
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"KEY", "KEYS", "AUTH", "AUTHORIZATION", "BEARER", "JWT", "PAT", "PASS", "PWD", "PASSPHRASE", "PIN",
			"COOKIE", "COOKIES", "SESSION", "DSN", "CONNECTION", "CREDS", "SIGNATURE", "SALT"}, w)
	})
}

// opaque says whether a value reads like no word, path or number that a person chose, or
// means something else in this file than it did in the host's.
func opaque(value string) bool {
	const long = 20
	letter := strings.ContainsFunc(value, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' })
	random := len(value) >= long && letter && strings.ContainsAny(value, "0123456789") && !strings.ContainsAny(value, "/\\:., ")
	return random || strings.Contains(value, "${") || strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") ||
		strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// id spells a host's name for a server as an upstream's id: [a-z][a-z0-9-]{0,30}.
func id(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	s := strings.TrimLeft(b.String(), "-0123456789")
	return strings.Trim(s[:min(len(s), 31)], "-")
}

package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mcp-gateway/config/admins"
	"mcp-gateway/config/exposure"
	"mcp-gateway/config/form"
	"mcp-gateway/config/secret"
	"mcp-gateway/gateway"
	"mcp-gateway/registry"
)

// maxFile bounds an upstreams.yaml, in bytes.
const maxFile = 1 << 20

// loader is one run of Load.
type loader struct {
	dir     string       // of the file
	secrets secret.Files // named by references
}

// Load reads an upstreams.yaml. Its error is a gateway.Problems that holds
// every fault of the file, in the order of their positions. Where upstreams lack
// secrets and nothing else is wrong there is no error: each says so in Missing.
func Load(path string) (*Config, error) {
	c, err := Survey(path)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Survey is Load for those who only read what is on record: it returns what could
// be read beside the faults, nil only where the file is no YAML at all. Nothing is
// served by it.
func Survey(path string) (*Config, error) {
	doc := form.Open(path, maxFile)
	dir := filepath.Dir(doc.File())
	l := &loader{dir: dir, secrets: secret.Files{Dir: dir}}
	c, spared := l.defaults(), 0
	c.File, c.Revision = doc.File(), doc.Revision()
	doc.Read(l.file(c))
	c.SecretFiles = l.secrets.Read
	if doc.Readable() {
		c.settle(doc.Root())
		c.judge(doc.Root())
		admins.Settle(doc.Root(), &c.Admin, c.Console, c.Auth.Keys)
		for id, u := range c.Upstreams { // one that lacks a secret is down alone
			u.Missing = doc.Within(doc.Root().Child("upstreams", id), string(gateway.ReasonSecretMissing))
			spared += len(u.Missing)
		}
	} else {
		c = nil
	}
	if problems := doc.Problems(); len(problems) > spared {
		return c, problems
	}
	return c, nil
}

// LoadExposure reads an exposure.yaml. Its error is a gateway.Problems that
// holds every fault of the file; a file that is not there is one of them, with
// code "not_found".
func LoadExposure(path string) (*registry.Exposure, error) { return exposure.Load(path) }

// ReviewedExposure is LoadExposure for reviewers: a file that is not there yet is
// one that reviews nothing, wherever the configuration says that it will be.
func (c *Config) ReviewedExposure() (*registry.Exposure, error) {
	return exposure.LoadAny(c.Exposure)
}

// LoadExposure reads the exposure file of the configuration. Where the file is
// absent and the configuration does not name one, nothing is exposed; where it does,
// that is a problem of the configuration, at its key.
func (c *Config) LoadExposure() (*registry.Exposure, error) {
	switch _, err := os.Stat(c.Exposure); {
	case !errors.Is(err, fs.ErrNotExist):
		return exposure.Load(c.Exposure)
	case c.exposureAbsent != nil:
		return nil, gateway.Problems{*c.exposureAbsent}
	default:
		return exposure.None(), nil
	}
}

// defaults is the Config of a file that says nothing.
func (l *loader) defaults() *Config {
	return &Config{
		Listen:   Listen{MCP: "127.0.0.1:8080"},
		State:    State{Dir: l.secrets.Abs("var")},
		Exposure: l.secrets.Abs("exposure.yaml"),
		Policy:   Policy{Timeout: 50 * time.Millisecond},
		Limits:   Limits{Body: 4 << 20, List: 8 << 20, Result: 8 << 20, Item: 4 << 20, Depth: 200, CallTimeout: 30 * time.Second, RepeatWait: 5 * time.Second},
		Audit:    Audit{Read: Process, Write: Disk, Destructive: Disk, Subjects: Pseudonym},
	}
}

// settle fills in what one key takes from another.
func (c *Config) settle(root form.Place) {
	c.Listen.Settle()
	if root.Has("exposure") {
		absent := root.Child("exposure").Problem("not_found",
			"`exposure` names %s, which is not there: `tools approve` begins it, and without the key nothing is exposed", c.Exposure)
		c.exposureAbsent = &absent
	}
	for _, u := range c.Upstreams {
		if u.Timeout == 0 {
			u.Timeout = c.Limits.CallTimeout
		}
		if u.HTTP != nil {
			u.HTTP.Networks = c.Networks
		}
		if u.HTTP != nil && u.HTTP.Grant != nil {
			u.HTTP.Grant.Networks = c.Networks
		}
		if u.HTTP != nil && u.HTTP.Grant != nil && u.HTTP.Grant.Resource == "" {
			u.HTTP.Grant.Resource = u.HTTP.URL
		}
	}
}

// Schema returns the JSON Schema (draft-07) of upstreams.yaml, for editors. It
// comes from the description that Load reads by.
func Schema() []byte {
	l := &loader{}
	s := form.Schema(l.file(l.defaults()))
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "mcp-gateway upstreams.yaml"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // maps, slices and strings only: cannot fail
	}
	return append(text, '\n')
}

package secret

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"mcp-gateway/config/command"
	"mcp-gateway/config/form"
)

// maxSecretFile bounds a file named by file:PATH, in bytes.
const maxSecretFile = 64 << 10

// Secret is a value that a reference named, resolved when the file was loaded.
// However it is printed, logged or encoded it shows as [secret].
type Secret struct{ value string }

const hidden = "[secret]"

// New hides a value.
func New(value string) Secret { return Secret{value} }

// Reveal returns the value. Call it where the value is used, and nowhere else.
func (s Secret) Reveal() string { return s.value }

// Set reports whether there is a value.
func (s Secret) Set() bool { return s.value != "" }

// Format implements fmt.Formatter for every verb, %d and %x included.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// String implements fmt.Stringer.
func (s Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return hidden }

// MarshalText implements encoding.TextMarshaler, for JSON and others.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// Files are the files that a configuration names by reference.
type Files struct {
	Dir  string   // where relative paths begin
	Read []string // those that were looked at, absolute
}

// Reference describes a secret: env:NAME or file:PATH and nothing else.
func (d *Files) Reference(dst *Secret) form.Value {
	return form.Hidden(dst, "env:NAME or file:PATH", func(s string) (Secret, *form.Fault) {
		if !isReference(s) {
			return Secret{}, &form.Fault{Code: "literal_secret", Message: "a secret does not stand in this file: write env:NAME or file:PATH", Hide: true}
		}
		return d.resolve(s)
	})
}

// Variable describes the value of an environment variable: a reference, or
// literal text where the name does not sound like a secret.
func (d *Files) Variable(name string, dst *Secret) form.Value {
	if command.SoundsSecret(name) {
		return d.Reference(dst)
	}
	return form.Parsed(dst, "text, env:NAME or file:PATH", func(s string) (Secret, *form.Fault) {
		if isReference(s) {
			return d.resolve(s)
		}
		return Secret{s}, nil
	})
}

func isReference(s string) bool {
	return strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "file:")
}

// resolve reads what a reference names. Its faults quote the reference, never
// a value.
func (d *Files) resolve(ref string) (Secret, *form.Fault) {
	kind, name, _ := strings.Cut(ref, ":")
	var value string
	if kind == "env" {
		if value = os.Getenv(name); value == "" {
			return Secret{}, &form.Fault{Code: "secret_missing", Message: fmt.Sprintf("the environment has no variable %q, or it is empty", name)}
		}
	} else {
		var err error
		d.Read = append(d.Read, d.Abs(name))
		if value, err = readSecretFile(d.Abs(name)); err != nil {
			return Secret{}, &form.Fault{Code: "secret_missing", Message: fmt.Sprintf("the secret's file %q cannot be read", name)}
		}
	}
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return Secret{}, &form.Fault{Code: "secret_malformed", Message: "the secret is empty, or holds line breaks or control characters"}
	}
	return Secret{value}, nil
}

// readSecretFile reads a small file without the line break at its end.
func readSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile))
	return strings.TrimRight(string(text), "\r\n"), err
}

// Abs resolves a path of the file.
func (d *Files) Abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(d.Dir, path)
}

// Key describes a key in a file, which has several lines.
func (d *Files) Key(dst *Secret) form.Value {
	return form.Hidden(dst, "file:PATH", func(s string) (Secret, *form.Fault) {
		path, ok := strings.CutPrefix(s, "file:")
		if !ok {
			return Secret{}, &form.Fault{Code: "literal_secret", Message: "a key does not stand in this file: write file:PATH", Hide: true}
		}
		d.Read = append(d.Read, d.Abs(path))
		text, err := readSecretFile(d.Abs(path))
		if err != nil || text == "" {
			return Secret{}, &form.Fault{Code: "secret_missing", Message: "the key's file can't be read, or is empty"}
		}
		return Secret{text}, nil
	})
}

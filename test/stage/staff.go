package stage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"mcp-gateway/auth"
)

// Staff is somebody who runs the gateway, with a key of their own.
type Staff struct {
	Name    string
	Subject string // "" = Name
	Tenant  string // "" = of every tenant
	Roles   []string
	Groups  []string
}

// freeAddress is one of loopback that was free just now. The page's own address must be
// known before it is served.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return address
}

// staff writes the parts admin and console, with fresh keys.
func (s *Stage) staff(b *strings.Builder) {
	if len(s.options.Staff) == 0 {
		return
	}
	fmt.Fprintf(b, "admin:\n  listen: %s\n  keys:\n", strings.TrimPrefix(s.Admin, "http://"))
	for _, m := range s.options.Staff {
		key, sum := auth.NewKey()
		s.keys["staff "+m.Name] = key
		fmt.Fprintf(b, "    - {id: %s, sha256: %q, subject: %s, roles: [%s], groups: [%s]", m.Name, sum, cmp.Or(m.Subject, m.Name), strings.Join(m.Roles, ", "), strings.Join(m.Groups, ", "))
		if m.Tenant != "" {
			b.WriteString(", tenant: " + m.Tenant)
		}
		b.WriteString("}\n")
	}
	if s.options.Console != "" {
		b.WriteString("console: {" + strings.TrimPrefix(s.options.Console, "-") + "}\n")
	}
}

// StaffKey is the key of one of the staff.
func (s *Stage) StaffKey(name string) string { return s.keys["staff "+name] }

// Asked is an answer of the operators' API.
type Asked struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code is that of a refusal; "" for none.
func (a *Asked) Code() string {
	var t struct{ Error struct{ Code string } }
	_ = json.Unmarshal(a.Body, &t) // "" for what is none
	return t.Error.Code
}

// AdminRequest is a request of one of the staff to the operators' API; a body is sent
// as JSON, "" is none.
func (s *Stage) AdminRequest(t testing.TB, who, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Admin+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+s.StaffKey(who))
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// AskAdmin sends a request of one of the staff.
func (s *Stage) AskAdmin(t testing.TB, who, method, path, body string) *Asked {
	t.Helper()
	return SendAdmin(t, s.AdminRequest(t, who, method, path, body))
}

// SendAdmin sends a request to the operators' API or the console; it follows no
// redirection. The listener may still be on its way.
func SendAdmin(t testing.TB, r *http.Request) *Asked {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var answer *http.Response
	Await(t, "an answer of the operators' listener", func() bool {
		var err error
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				t.Fatal(err)
			}
		}
		answer, err = client.Do(r)
		return err == nil
	})
	raw, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return &Asked{answer.StatusCode, answer.Header, raw}
}

package grant

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-gateway/auth/issuer"
	"mcp-gateway/auth/token"
	"mcp-gateway/egress"
	"mcp-gateway/gateway"
)

// endpoint is a token endpoint that answers as a test says.
type endpoint struct {
	*httptest.Server
	asked atomic.Int64

	mu     sync.Mutex
	answer func(url.Values) (int, string)
	forms  []url.Values
	now    time.Time
}

func newEndpoint(t testing.TB) *endpoint {
	t.Helper()
	e := &endpoint{now: time.Unix(1_800_000_000, 0)}
	e.answer = func(form url.Values) (int, string) {
		return http.StatusOK, fmt.Sprintf(`{"access_token":"t%d-%s","token_type":"Bearer","expires_in":300,"issued_token_type":%q}`,
			e.asked.Load(), form.Get("subject_token"), typeAccess)
	}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked.Add(1)
	_ = r.ParseForm()
	e.mu.Lock()
	e.forms = append(e.forms, r.PostForm)
	status, body := e.answer(r.PostForm)
	e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func (e *endpoint) says(status int, body string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = func(url.Values) (int, string) { return status, body }
}

func (e *endpoint) wait(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = e.now.Add(d)
}

func (e *endpoint) clock() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now
}

func (e *endpoint) source(t testing.TB, change func(*Options)) *Source {
	t.Helper()
	o := Options{
		Upstream: "up", Endpoint: e.URL + "/token", Client: issuer.Client{ID: "gw", Method: issuer.Post, Secret: "s"},
		HTTP: egress.NewClient(egress.Options{AllowHosts: []string{"127.0.0.1"}}), Resource: "https://up.example/mcp", Clock: e.clock,
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exchanging(o *Options) { o.Exchange = true }

func alice(raw string) gateway.Behalf {
	return gateway.Behalf{Principal: "alice", Token: gateway.NewBearer(raw)}
}

var nobody gateway.Behalf

func TestClientCredentials(t *testing.T) {
	e := newEndpoint(t)
	s := e.source(t, func(o *Options) { o.Scopes, o.Audience = []string{"a", "b"}, "api://up" })
	first, err := s.Token(t.Context(), nobody)
	if err != nil {
		t.Fatal(err)
	}
	const want = "audience=api%3A%2F%2Fup&client_id=gw&client_secret=s&grant_type=client_credentials&resource=https%3A%2F%2Fup.example%2Fmcp&scope=a+b"
	if got := e.forms[0].Encode(); got != want {
		t.Errorf("asked %s", got)
	}
	e.wait(4 * time.Minute)
	if again, err := s.Token(t.Context(), alice("x")); err != nil || again != first {
		t.Errorf("whoever calls, it is the same: %q %v", again, err)
	}
	e.wait(31 * time.Second)
	next, err := s.Token(t.Context(), nobody)
	if err != nil || next == first {
		t.Errorf("half a minute before its end: %q %v", next, err)
	}
	s.Refused(nobody, first)
	if again, _ := s.Token(t.Context(), nobody); again != next {
		t.Error("an old token that was refused costs the new one")
	}
	s.Refused(nobody, next)
	if again, _ := s.Token(t.Context(), nobody); again == next {
		t.Error("a token that was refused is given again")
	}
}

func TestExchange(t *testing.T) {
	e := newEndpoint(t)
	s := e.source(t, exchanging)
	one, err := s.Token(t.Context(), alice("inbound-1"))
	if err != nil {
		t.Fatal(err)
	}
	form := e.forms[0]
	if form.Get("grant_type") != grantExchange || form.Get("subject_token") != "inbound-1" || form.Get("subject_token_type") != typeAccess {
		t.Errorf("asked %v", form)
	}
	two, _ := s.Token(t.Context(), alice("inbound-2"))
	bob, _ := s.Token(t.Context(), gateway.Behalf{Principal: "bob", Token: gateway.NewBearer("inbound-1")})
	itself, _ := s.Token(t.Context(), nobody)
	again, _ := s.Token(t.Context(), alice("inbound-1"))
	if one == two || one == bob || one == itself || again != one {
		t.Errorf("tokens %q %q %q %q %q", one, two, bob, itself, again)
	}
	if e.forms[3].Get("grant_type") != grantClient {
		t.Errorf("for itself the gateway asked %v", e.forms[3])
	}
	_, err = s.Token(t.Context(), gateway.Behalf{Principal: "key"})
	if !errors.Is(err, ErrNobody) || e.asked.Load() != 4 {
		t.Errorf("without a token: %v after %d questions", err, e.asked.Load())
	}
}

// TestOneQuestion holds that callers who need the same token wait for one answer.
func TestOneQuestion(t *testing.T) {
	e := newEndpoint(t)
	s := e.source(t, exchanging)
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			if _, err := s.Token(t.Context(), alice("inbound")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := e.asked.Load(); n != 1 {
		t.Errorf("%d questions", n)
	}
}

// jwt is a JWT whose signature nobody here checks.
func jwt(claims string) string {
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(`{"alg":"RS256"}`)) + "." + e.EncodeToString([]byte(claims)) + ".c2ln"
}

// TestAnswers holds which answers are tokens, and that the text of none other
// shows anywhere.
func TestAnswers(t *testing.T) {
	whole := func(raw, more string) string {
		return `{"access_token":"` + raw + `","token_type":"Bearer","issued_token_type":"` + typeAccess + `"` + more + `}`
	}
	for name, tt := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"opaque":                  {200, whole("canary", ""), nil},
		"JWT for it":              {200, whole(jwt(`{"aud":["x","https://up.example/mcp"]}`), ""), nil},
		"JWT by its audience":     {200, whole(jwt(`{"aud":"api://up"}`), ""), nil},
		"JWT for another":         {200, whole(jwt(`{"aud":"https://other.example"}`), ""), ErrAudience},
		"JWT for nobody":          {200, whole(jwt(`{"sub":"x"}`), ""), ErrAudience},
		"JWT of another type":     {200, whole(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"dpop+jwt"}`))+".e30.c2ln", ""), token.ErrType},
		"the inbound token again": {200, whole("inbound", ""), ErrAnswer},
		"not a bearer":            {200, strings.Replace(whole("canary", ""), "Bearer", "DPoP", 1), ErrAnswer},
		"a refresh token":         {200, strings.Replace(whole("canary", ""), "access_token\"}", "refresh_token\"}", 1), ErrAnswer},
		"no type":                 {200, `{"access_token":"canary","token_type":"Bearer"}`, ErrAnswer},
		"with a line break":       {200, whole(`canary\r\nX: y`, ""), ErrAnswer},
		"none":                    {200, `{"token_type":"Bearer"}`, ErrAnswer},
		"too large":               {200, whole(strings.Repeat("a", 20<<10), ""), ErrAnswer},
		"expiry that is a text":   {200, whole("canary", `,"expires_in":"300"`), ErrAnswer},
		"expired":                 {200, whole("canary", `,"expires_in":-1`), ErrAnswer},
		"twice":                   {200, whole("canary", `,"access_token":"other"`), issuer.ErrAnswer},
		"refused":                 {400, `{"error":"invalid_target","error_description":"canary"}`, &issuer.StatusError{}},
		"a redirect":              {302, ``, &issuer.StatusError{}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t)
			e.says(tt.status, tt.body)
			s := e.source(t, func(o *Options) { o.Exchange, o.Audience = true, "api://up" })
			got, err := s.Token(t.Context(), alice("inbound"))
			var status *issuer.StatusError
			var coded *gateway.Error
			switch {
			case tt.want == nil:
				if err != nil || got == "" {
					t.Fatalf("%q %v", got, err)
				}
				return
			case errors.As(tt.want, &status):
				if !errors.As(err, &status) || status.Status != tt.status {
					t.Errorf("%v", err)
				}
			case !errors.Is(err, tt.want):
				t.Errorf("%v, want %v", err, tt.want)
			}
			if !errors.As(err, &coded) || coded.Code != gateway.CodeUnavailable || got != "" {
				t.Errorf("%q %v", got, err)
			}
			if shown := fmt.Sprint(err); strings.Contains(shown, "canary") || strings.Contains(shown, "inbound") {
				t.Errorf("shown: %s", shown)
			}
			_, _ = s.Token(t.Context(), alice("inbound"))
			if n := e.asked.Load(); n != 1 {
				t.Errorf("asked %d times within a moment", n)
			}
			e.wait(11 * time.Second)
			_, _ = s.Token(t.Context(), alice("inbound"))
			if n := e.asked.Load(); n != 2 {
				t.Errorf("asked %d times after it", n)
			}
		})
	}
}

// TestBounded holds that tokens of many principals do not pile up.
func TestBounded(t *testing.T) {
	e := newEndpoint(t)
	s := e.source(t, exchanging)
	for i := range keptTokens + 100 {
		s.tokens.Add(s.key(alice(fmt.Sprint(i))), &held{token: "t", until: e.now.Add(time.Hour)})
	}
	if n := s.tokens.Len(); n != keptTokens {
		t.Errorf("%d tokens are kept", n)
	}
}

func BenchmarkToken(b *testing.B) {
	e := newEndpoint(b)
	s := e.source(b, exchanging)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Token(b.Context(), alice("inbound")); err != nil {
			b.Fatal(err)
		}
	}
}

// Operators learn in one word why there was no token; of what failed otherwise, none.
func TestWord(t *testing.T) {
	e := newEndpoint(t)
	for _, c := range []struct {
		name   string
		status int
		body   string
		change func(*Options)
		want   gateway.Reason
	}{
		{"the client is refused", 401, `{"error":"invalid_client"}`, nil, "credential_invalid_client"},
		{"an error of its own", 400, `{"error":"it is Tuesday"}`, nil, "credential_http_400"},
		{"no token", 200, `{}`, nil, "credential_bad_answer"},
		{"nobody listens", 0, "", func(o *Options) { o.Endpoint = "http://127.0.0.1:1/token" }, "credential_dial_refused"},
		{"not to be called", 0, "", func(o *Options) { o.HTTP = egress.NewClient(egress.Options{}) }, "credential_dial_blocked"},
	} {
		e.says(c.status, c.body)
		_, err := e.source(t, c.change).Token(t.Context(), gateway.Behalf{})
		if got := Word(err); got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, got, c.want, err)
		}
	}
	if got := Word(gateway.Fail(gateway.CodeUnavailable, "dial_refused")); got != "" {
		t.Errorf("of another error: %q", got)
	}
}

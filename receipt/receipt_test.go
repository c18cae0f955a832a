package receipt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
	"mcp-gateway/receipt"
)

func ring(t testing.TB) *keyring.Ring {
	t.Helper()
	r, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var salt = receipt.Salt{1, 2, 3}

func statement() *receipt.Statement {
	hash := strings.Repeat("ab", 32)
	return &receipt.Statement{
		V: receipt.Version, Action: "01a22b82-1bea-75f7-8320-cfd622a5edfd", Attempt: 1, Principal: "k:00", Tenant: "t",
		Upstream: "desk", Tool: "open", Definition: "sha256-jcs1:00", Policy: "sha256:00", Effect: gateway.Allow,
		Arguments: receipt.Arguments{
			Salt: base64.RawURLEncoding.EncodeToString(salt[:]), Digest: receipt.ArgumentsDigest(salt, []byte(`{"a":1}`)),
		},
		Outcome: gateway.OutcomeCommitted, ExternalID: "<T&1>", Host: receipt.Hop{Era: "modern", Revision: "2026-07-28"},
		KeyFrom: receipt.KeyMinted, DecidedAt: "2026-09-01T00:00:00Z", FinishedAt: "2026-09-01T00:00:01Z",
		Decided:  receipt.EventRef{Replica: "r", Boot: 1, Seq: 7, Hash: hash},
		Finished: receipt.EventRef{Replica: "r", Boot: 1, Seq: 8, Hash: hash}, Build: "test",
	}
}

func sign(t testing.TB, r receipt.Signer, s *receipt.Statement) []byte {
	t.Helper()
	envelope, err := receipt.Sign(r, s)
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

// change edits the envelope's members.
func change(t *testing.T, envelope []byte, edit func(e *receipt.Envelope, payload string) string) []byte {
	t.Helper()
	var e receipt.Envelope
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	e.Payload = base64.StdEncoding.EncodeToString([]byte(edit(&e, string(payload))))
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestForgedReceiptsAreRefusedByName(t *testing.T) {
	ours, theirs := ring(t), ring(t)
	good := sign(t, ours, statement())
	swapped := statement()
	swapped.Decided, swapped.Finished = swapped.Finished, swapped.Decided
	future := statement()
	future.V = 2
	field := func(old, with string) []byte {
		return change(t, good, func(_ *receipt.Envelope, p string) string {
			if !strings.Contains(p, old) {
				t.Fatalf("%s is not in %s", old, p)
			}
			return strings.Replace(p, old, with, 1)
		})
	}
	same := func(_ *receipt.Envelope, p string) string { return p }
	for name, tc := range map[string]struct {
		envelope []byte
		claim    receipt.Claim
		want     receipt.Refusal
	}{
		"as it was given":                    {good, receipt.Claim{}, ""},
		"shown for its call and arguments":   {good, receipt.Claim{Action: statement().Action, Arguments: []byte(`{"a":1}`)}, ""},
		"altered field":                      {field(`"outcome":"committed"`, `"outcome":"failed"`), receipt.Claim{}, receipt.BadSignature},
		"altered external id":                {field(`<T&1>`, `<T&2>`), receipt.Claim{}, receipt.BadSignature},
		"altered payload":                    {field(`{"v":1`, `{ "v":1`), receipt.Claim{}, receipt.BadSignature},
		"event positions swapped":            {field(`"seq":7`, `"seq":9`), receipt.Claim{}, receipt.BadSignature},
		"event positions swapped and signed": {sign(t, ours, swapped), receipt.Claim{}, receipt.EventsSwapped},
		"wrong key under our id": {change(t, sign(t, theirs, statement()), func(e *receipt.Envelope, p string) string {
			e.Signatures[0].KeyID = ours.KeyID(keyring.Receipt)
			return p
		}), receipt.Claim{}, receipt.BadSignature},
		"unknown key id": {sign(t, theirs, statement()), receipt.Claim{}, receipt.UnknownKey},
		"no signature": {change(t, good, func(e *receipt.Envelope, p string) string {
			e.Signatures = nil
			return p
		}), receipt.Claim{}, receipt.BadEnvelope},
		"two signatures": {change(t, good, func(e *receipt.Envelope, p string) string {
			e.Signatures = append(e.Signatures, e.Signatures[0])
			return p
		}), receipt.Claim{}, receipt.BadEnvelope},
		"a second payload in other letters": {bytes.Replace(good, []byte(`{`), []byte(`{"PAYLOAD":"e30=",`), 1), receipt.Claim{}, receipt.BadEnvelope},
		"a second payload":                  {bytes.Replace(good, []byte(`{`), []byte(`{"payload":"e30=",`), 1), receipt.Claim{}, receipt.BadEnvelope},
		"a payload in other letters":        {bytes.Replace(good, []byte(`"payload":`), []byte(`"PayLoad":`), 1), receipt.Claim{}, receipt.BadEnvelope},
		"truncated":                         {good[:len(good)-20], receipt.Claim{}, receipt.BadEnvelope},
		"empty":                             {nil, receipt.Claim{}, receipt.BadEnvelope},
		"trailing text":                     {append(change(t, good, same), "{}"...), receipt.Claim{}, receipt.BadEnvelope},
		"of another type":                   {change(t, good, func(e *receipt.Envelope, p string) string { e.PayloadType = "text/plain"; return p }), receipt.Claim{}, receipt.OtherType},
		"of another version":                {sign(t, ours, future), receipt.Claim{}, receipt.BadStatement},
		"shown for another call":            {good, receipt.Claim{Action: "01a22b82-1bea-75f7-8320-cfd622a5edfe"}, receipt.OtherCall},
		"with other arguments":              {good, receipt.Claim{Arguments: []byte(`{"a":2}`)}, receipt.OtherArgs},
	} {
		_, err := receipt.Verify(tc.envelope, ours.Public(keyring.Receipt), tc.claim)
		var got receipt.Refusal
		errors.As(err, &got)
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// as signs with the key of another purpose, or what another type of payload would be.
type as struct {
	ring    *keyring.Ring
	purpose keyring.Purpose
	prefix  string // before what is signed
}

func (a as) Sign(_ keyring.Purpose, message []byte) (string, []byte) {
	return a.ring.Sign(a.purpose, append([]byte(a.prefix), message...))
}

// A receipt in another spelling, under another signature of ours, or with another one
// beside it is none.
func TestReceiptsInDisguise(t *testing.T) {
	ours, theirs := ring(t), ring(t)
	odd := statement()
	for odd.ExternalID = "?"; ; odd.ExternalID += ">" { // whose payload both alphabets spell differently
		raw, err := odd.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(base64.StdEncoding.EncodeToString(raw), "+/") && len(raw)%3 == 1 {
			break
		}
	}
	good, foreign := sign(t, ours, odd), sign(t, theirs, odd)
	old := ours.KeyID(keyring.Receipt)
	if err := ours.Rotate(keyring.Receipt); err != nil {
		t.Fatal(err)
	}
	spelled := func(edit func(e *receipt.Envelope)) []byte {
		var e receipt.Envelope
		if err := json.Unmarshal(good, &e); err != nil {
			t.Fatal(err)
		}
		edit(&e)
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	signature := func(envelope []byte) receipt.Signature {
		var e receipt.Envelope
		if err := json.Unmarshal(envelope, &e); err != nil {
			t.Fatal(err)
		}
		return e.Signatures[0]
	}
	twice := strings.Replace(string(mustBytes(t, odd)), `"outcome":`, `"outcome":"failed","outcome":`, 1)
	for name, tc := range map[string]struct {
		envelope []byte
		want     receipt.Refusal
	}{
		"as it was given, before the key was rotated": {good, ""},
		"the other alphabet, payload": {spelled(func(e *receipt.Envelope) {
			e.Payload = strings.NewReplacer("+", "-", "/", "_").Replace(e.Payload)
		}), receipt.BadEnvelope},
		"without padding": {spelled(func(e *receipt.Envelope) { e.Payload = strings.TrimRight(e.Payload, "=") }), receipt.BadEnvelope},
		"idle bits": {spelled(func(e *receipt.Envelope) {
			body := strings.TrimRight(e.Payload, "=")
			e.Payload = body[:len(body)-1] + string(body[len(body)-1]+1) + e.Payload[len(body):]
		}), receipt.BadEnvelope},
		"a line break in the payload":   {spelled(func(e *receipt.Envelope) { e.Payload = e.Payload[:8] + "\n" + e.Payload[8:] }), receipt.BadEnvelope},
		"a line break in the signature": {spelled(func(e *receipt.Envelope) { e.Signatures[0].Sig += "\r\n" }), receipt.BadEnvelope},
		"another's signature beside it": {spelled(func(e *receipt.Envelope) { e.Signatures = append(e.Signatures, signature(foreign)) }), receipt.BadEnvelope},
		"another's signature before it": {spelled(func(e *receipt.Envelope) {
			e.Signatures = append([]receipt.Signature{signature(foreign)}, e.Signatures...)
		}), receipt.BadEnvelope},
		"the id of our newer key": {spelled(func(e *receipt.Envelope) { e.Signatures[0].KeyID = ours.KeyID(keyring.Receipt) }), receipt.BadSignature},
		"our id on another's signature": {spelled(func(e *receipt.Envelope) {
			e.Signatures[0] = receipt.Signature{KeyID: old, Sig: signature(foreign).Sig}
		}), receipt.BadSignature},
		"another gateway's, under its id":    {foreign, receipt.UnknownKey},
		"by our key of checkpoints":          {sign(t, as{ours, keyring.Checkpoint, ""}, odd), receipt.UnknownKey},
		"by our key, but not as a receipt":   {sign(t, as{ours, keyring.Receipt, "x"}, odd), receipt.BadSignature},
		"a member twice in the payload":      {spelled(func(e *receipt.Envelope) { e.Payload = base64.StdEncoding.EncodeToString([]byte(twice)) }), receipt.BadSignature},
		"a member twice in it, and signed":   {signedBytes(t, ours, twice), receipt.BadStatement},
		"bytes behind the statement, signed": {signedBytes(t, ours, string(mustBytes(t, odd))+"{}"), receipt.BadStatement},
		"a type that differs by a parameter": {spelled(func(e *receipt.Envelope) { e.PayloadType += ";v=1" }), receipt.OtherType},
		"a type in other letters":            {spelled(func(e *receipt.Envelope) { e.PayloadType = strings.ToUpper(e.PayloadType) }), receipt.OtherType},
		"an extension beside the payload":    {bytes.Replace(good, []byte(`{`), []byte(`{"note":"paid",`), 1), receipt.BadEnvelope},
		"two documents":                      {append(append([]byte{}, good...), good...), receipt.BadEnvelope},
	} {
		_, err := receipt.Verify(tc.envelope, ours.Public(keyring.Receipt), receipt.Claim{})
		var got receipt.Refusal
		errors.As(err, &got)
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func mustBytes(t *testing.T, s *receipt.Statement) []byte {
	t.Helper()
	raw, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// signedBytes is an envelope around any payload, signed as a receipt is.
func signedBytes(t *testing.T, r *keyring.Ring, payload string) []byte {
	t.Helper()
	message := fmt.Sprintf("DSSEv1 %d %s %d %s", len(receipt.PayloadType), receipt.PayloadType, len(payload), payload)
	id, sig := r.Sign(keyring.Receipt, []byte(message))
	out, err := json.Marshal(receipt.Envelope{
		PayloadType: receipt.PayloadType, Payload: base64.StdEncoding.EncodeToString([]byte(payload)),
		Signatures: []receipt.Signature{{KeyID: id, Sig: base64.StdEncoding.EncodeToString(sig)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRotatedKeysStillVerify(t *testing.T) {
	r := ring(t)
	before := sign(t, r, statement())
	if err := r.Rotate(keyring.Receipt); err != nil {
		t.Fatal(err)
	}
	after := sign(t, r, statement())
	for _, envelope := range [][]byte{before, after} {
		if _, err := receipt.Verify(envelope, r.Public(keyring.Receipt), receipt.Claim{}); err != nil {
			t.Error(err)
		}
	}
	if string(before) == string(after) {
		t.Error("the new key signs like the old one")
	}
}

// found is a journal of given events.
type found map[receipt.EventRef]receipt.Event

func (f found) Find(ref receipt.EventRef) (receipt.Event, bool) { e, ok := f[ref]; return e, ok }

func TestMatch(t *testing.T) {
	s := statement()
	decided := receipt.Event{Hash: s.Decided.Hash, Action: s.Action}
	finished := receipt.Event{Hash: s.Finished.Hash, Action: s.Action, Outcome: s.Outcome}
	other := finished
	other.Outcome = gateway.OutcomeFailed
	foreign := decided
	foreign.Action = "x"
	altered := decided
	altered.Hash = strings.Repeat("cd", 32)
	for name, tc := range map[string]struct {
		journal found
		want    receipt.Refusal
	}{
		"both":             {found{s.Decided: decided, s.Finished: finished}, ""},
		"no finished":      {found{s.Decided: decided}, receipt.NoEvent},
		"of another call":  {found{s.Decided: foreign, s.Finished: finished}, receipt.OtherEvent},
		"another hash":     {found{s.Decided: altered, s.Finished: finished}, receipt.OtherEvent},
		"another outcome":  {found{s.Decided: decided, s.Finished: other}, receipt.OtherEvent},
		"an empty journal": {found{}, receipt.NoEvent},
	} {
		var got receipt.Refusal
		errors.As(s.Match(tc.journal), &got)
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestStatementsHaveOneForm(t *testing.T) {
	payload, err := statement().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(payload), `"external_id":"<T&1>"`) {
		t.Errorf("%s", payload)
	}
	for name, text := range map[string]string{
		"as written":       string(payload),
		"unknown member":   strings.Replace(string(payload), `{`, `{"x":1,`, 1),
		"name in capitals": strings.Replace(string(payload), `"outcome"`, `"Outcome"`, 1),
		"repeated member":  strings.Replace(string(payload), `{"v":1`, `{"v":1,"v":1`, 1),
		"trailing":         string(payload) + " ",
		"null":             "null",
	} {
		if _, err := receipt.ParseStatement([]byte(text)); (err == nil) != (name == "as written") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, good := range map[string]bool{
		"k": true, "": false, "a b": true, "a\nb": false, "\x7f": false, "\xff": false,
		strings.Repeat("x", 256): true, strings.Repeat("x", 257): false,
	} {
		if receipt.ValidKey(key) != good {
			t.Errorf("%q", key)
		}
	}
	tool := gateway.ItemID{Upstream: "a", Name: "b"}
	scopes := map[receipt.Scope]bool{}
	for _, s := range []receipt.Scope{
		receipt.ScopeOf("p", tool, "k"), receipt.ScopeOf("p", tool, "l"), receipt.ScopeOf("q", tool, "k"),
		receipt.ScopeOf("p", gateway.ItemID{Upstream: "ab"}, "k"), receipt.ScopeOf("p", gateway.ItemID{Upstream: "a", Name: "c"}, "k"),
	} {
		scopes[s] = true
	}
	if len(scopes) != 5 {
		t.Errorf("%d scopes of 5 are distinct", len(scopes))
	}
	if a, b := receipt.MintKey(), receipt.MintKey(); a == b || !receipt.ValidKey(a) {
		t.Error(a, b)
	}
}

func FuzzVerify(f *testing.F) {
	r := ring(f)
	good := sign(f, r, statement())
	f.Add(good)
	f.Add(good[:40])
	f.Add([]byte(`{"payloadType":"","payload":"","signatures":[{"keyid":"","sig":""}]}`))
	keys := r.Public(keyring.Receipt)
	want, _ := statement().Bytes()
	f.Fuzz(func(t *testing.T, envelope []byte) {
		s, err := receipt.Verify(envelope, keys, receipt.Claim{})
		if err != nil {
			return
		}
		if got, _ := s.Bytes(); string(got) != string(want) {
			t.Errorf("nobody signed %s", got)
		}
	})
}

// 10,000 receipts are to verify within 5 s on one core.
func BenchmarkVerify(b *testing.B) {
	r := ring(b)
	envelope, keys := sign(b, r, statement()), r.Public(keyring.Receipt)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := receipt.Verify(envelope, keys, receipt.Claim{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*10_000, "s/10000-receipts")
}

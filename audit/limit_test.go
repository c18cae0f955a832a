package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-gateway/gateway"
)

// longest returns an event of the type with every field at its longest legal value.
func longest(t *testing.T, typ Type) Event {
	t.Helper()
	x := func(n int) string { return strings.Repeat("x", n) }
	keyed := Keyed(x(32) + ":" + strings.Repeat("f", 64))
	words := map[reflect.Type]string{
		reflect.TypeFor[Type](): string(typ), reflect.TypeFor[Ident](): x(128), reflect.TypeFor[Version](): x(128), reflect.TypeFor[Label](): x(128),
		reflect.TypeFor[Keyed](): string(keyed), reflect.TypeFor[RequestRef](): string(keyed), reflect.TypeFor[HostRef](): x(64),
		reflect.TypeFor[Claimed](): "1" + x(31), reflect.TypeFor[Word](): x(64), reflect.TypeFor[gateway.Digest](): "sha256-jcs1:" + hex64,
		reflect.TypeFor[Method](): "notifications/roots/list_changed", reflect.TypeFor[Transport](): string(Stdio), reflect.TypeFor[Era](): string(Modern),
		reflect.TypeFor[Revision](): "2026-07-28", reflect.TypeFor[gateway.ExposureState](): string(gateway.StateQuarantined),
		reflect.TypeFor[gateway.SideEffect](): string(gateway.Destructive), reflect.TypeFor[gateway.Effect](): string(gateway.Allow),
		reflect.TypeFor[gateway.Outcome](): string(gateway.OutcomeUnknown), reflect.TypeFor[gateway.Code](): longestCode(),
	}
	e := Event{Type: typ}
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		switch at := f.Addr().Interface().(type) {
		case *time.Time:
			*at = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
		case *time.Duration:
			*at = math.MaxInt64
		case *uint64:
			*at = math.MaxUint64
		case *uint32:
			*at = math.MaxUint32
		case *ID:
			*at = samples()[typ].ID
		case *Stages:
			for s := range at {
				at[s] = math.MaxUint32
			}
		case *[]Count:
			for n := range maxCounts + 1 {
				*at = append(*at, Count{fmt.Sprintf("%s%02d", x(62), n), math.MaxUint32})
			}
		case *[]Fault:
			for range maxReasons + 1 {
				*at = append(*at, Fault("/"+x(63)+" "+x(63)))
			}
		case *[]gateway.Reason:
			for range maxReasons + 1 {
				*at = append(*at, gateway.Reason(x(64)))
			}
		case *[]Word:
			for range maxReasons + 1 {
				*at = append(*at, Word(x(64)))
			}
		default:
			switch f.Kind() {
			case reflect.String:
				if words[f.Type()] == "" {
					t.Fatalf("no longest value is known of a %s", f.Type())
				}
				f.SetString(words[f.Type()])
			case reflect.Array:
				for b := range f.Len() {
					f.Index(b).SetUint(0xff)
				}
			default:
				t.Fatalf("no longest value is known of a %s", f.Type())
			}
		}
	}
	e.LeftOut = 0
	return e
}

func longestCode() (longest string) {
	for _, c := range gateway.Codes() {
		if len(c) > len(longest) {
			longest = string(c)
		}
	}
	return longest
}

// A decided event is at most 1.3 KB long and a finished one 600 bytes, whatever it is
// made of: with every field at its longest, and with any of them away.
func TestSizes(t *testing.T) {
	for typ, limit := range map[Type]int{ToolDecided: 1300, ToolFinished: 600} {
		most := 0
		check := func(e *Event) {
			line := AppendJSON(nil, e)
			most = max(most, len(line))
			var back Event
			if err := Decode(line, &back); err != nil {
				t.Fatalf("%s: %v: %s", typ, err, line)
			}
			if len(line) > limit {
				t.Fatalf("%s: %d bytes: %s", typ, len(line), line)
			}
			if back.Action != e.Action || back.Principal != "" && back.Principal != e.Principal || back.Outcome != "" && back.Outcome != e.Outcome {
				t.Fatalf("%s: what matters was left out: %s", typ, line)
			}
			if len(appendFields(nil, e)) > limit && back.LeftOut == 0 {
				t.Fatalf("%s: what is left out is not told: %s", typ, line)
			}
		}
		usual := samples()[typ]
		check(usual)
		if line := AppendJSON(nil, usual); string(line) != string(appendFields(nil, usual)) {
			t.Errorf("%s: something of the usual one is left out: %s", typ, line)
		}
		full := longest(t, typ)
		check(&full)
		random := rand.New(rand.NewPCG(1, uint64(limit)))
		for range 1000 {
			e := full
			v := reflect.ValueOf(&e).Elem()
			for i := range v.NumField() {
				if f := v.Type().Field(i).Name; random.IntN(3) == 0 && f != "Type" && f != "Seq" && f != "Action" && f != "ID" && f != "Prev" && f != "Time" {
					v.Field(i).SetZero()
				}
			}
			check(&e)
		}
		t.Logf("%s: %d bytes usually, %d at most, %d with every field at its longest were nothing left out", typ,
			len(AppendJSON(nil, usual)), most, len(appendFields(nil, &full)))
	}
}

// What is missed least gives way first: an event a little too long loses its times, and
// no more.
func TestTimesGiveWayFirst(t *testing.T) {
	e := *samples()[ToolDecided]
	e.Client = "a client with a name that is a little longer"
	var back Event
	if err := Decode(AppendJSON(nil, &e), &back); err != nil {
		t.Fatal(err)
	}
	e.Stages, e.LeftOut = Stages{}, 1
	if !reflect.DeepEqual(back, e) {
		t.Errorf("%+v\nis not\n%+v", back, e)
	}
}

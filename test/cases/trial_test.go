package cases

import (
	"slices"
	"strings"
	"testing"

	"mcp-gateway/protocol"
)

// proof shows one case to be met, or fails.
type proof func(*trial)

// trial is one case under test.
type trial struct {
	*testing.T
	input []byte // of the case, as it stands in its file
	shown []string
}

// The three ways of looking at a case.
const (
	outward = "what is seen outside"
	event   = "the event on record"
	service = "the service of the other tools"
)

// hold holds one thing that is seen in one of the ways.
func (c *trial) hold(way string, ok bool, format string, args ...any) {
	c.Helper()
	if !slices.Contains(c.shown, way) {
		c.shown = append(c.shown, way)
	}
	if !ok {
		c.Errorf(way+": "+format, args...)
	}
}

// whole holds that none of the ways was left out.
func (c *trial) whole() {
	for _, way := range []string{outward, event, service} {
		if !slices.Contains(c.shown, way) {
			c.Errorf("the proof left out %s", way)
		}
	}
}

// raw returns a part of the case's input, as it stands there.
func (c *trial) raw(pointer string) string {
	c.Helper()
	value, ok := protocol.Lookup(c.input, pointer)
	if !ok {
		c.Fatalf("the case has no %s", pointer)
	}
	return string(value)
}

// text returns a string of the case's input.
func (c *trial) text(pointer string) string {
	c.Helper()
	s, ok := protocol.Text([]byte(c.raw(pointer)))
	if !ok {
		c.Fatalf("%s of the case is no string", pointer)
	}
	return s
}

// must fails the test at once.
func (c *trial) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// with puts members in front of an object's own.
func with(object, members string) string {
	if strings.TrimSpace(object) == "{}" {
		return "{" + members + "}"
	}
	return strings.Replace(object, "{", "{"+members+",", 1)
}

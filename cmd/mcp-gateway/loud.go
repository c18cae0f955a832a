package main

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mcp-gateway/config/logs"
)

// loudness is how much is logged: what --log-level says, until the configuration
// asks for another level than at the start.
type loudness struct {
	level zap.AtomicLevel
	flag  bool       // --log-level was given
	asked logs.Level // by the configuration that was in force last; "" = none was yet
}

// take takes up the level of a configuration that is in force now.
func (l *loudness) take(level logs.Level) {
	before := l.asked
	l.asked = level
	if before == level || before == "" && l.flag {
		return
	}
	if to, err := zapcore.ParseLevel(string(level)); err == nil { // it was checked when it was read
		l.level.SetLevel(to)
	}
}

package main

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mcp-gateway/config/logs"
)

// The flag goes before the file at the start; a level that is changed in the file later
// is taken up.
func TestLoudness(t *testing.T) {
	for name, c := range map[string]struct {
		flag  bool
		files []logs.Level // as they come in force, one after the other
		want  zapcore.Level
	}{
		"the file at the start":       {false, []logs.Level{logs.Debug}, zap.DebugLevel},
		"the flag before the file":    {true, []logs.Level{logs.Debug}, zap.WarnLevel},
		"a reload without a change":   {true, []logs.Level{logs.Debug, logs.Debug}, zap.WarnLevel},
		"a reload with another level": {true, []logs.Level{logs.Info, logs.Debug}, zap.DebugLevel},
		"back again":                  {false, []logs.Level{logs.Info, logs.Debug, logs.Info}, zap.InfoLevel},
	} {
		l := loudness{level: zap.NewAtomicLevelAt(zap.WarnLevel), flag: c.flag}
		for _, level := range c.files {
			l.take(level)
		}
		if got := l.level.Level(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

package tell

import (
	"go.opentelemetry.io/contrib/bridges/otelzap"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mcp-gateway/telemetry"
)

// children is the logger of what processes say on standard error. It is for who stands
// at this machine, and goes nowhere else.
const children = "child"

// Tee returns a log that telemetry hears too, where it sends records of the log. What is
// not logged for its level is not sent either, also after the level changed.
func Tee(to *zap.Logger, t *telemetry.Telemetry) *zap.Logger {
	logs := t.Logs()
	if logs == nil {
		return to
	}
	bridge := otelzap.NewCore(telemetry.Scope, otelzap.WithLoggerProvider(logs))
	return to.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return zapcore.NewTee(c, abroad{bridge, c}) }))
}

// abroad is a core that leaves the machine.
type abroad struct {
	zapcore.Core
	level zapcore.LevelEnabler
}

func (a abroad) Enabled(l zapcore.Level) bool { return a.level.Enabled(l) }

func (a abroad) With(fields []zapcore.Field) zapcore.Core {
	return abroad{a.Core.With(fields), a.level}
}

func (a abroad) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.LoggerName == children || !a.level.Enabled(e.Level) {
		return ce
	}
	return ce.AddCore(e, a)
}

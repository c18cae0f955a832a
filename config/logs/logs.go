package logs

import "mcp-gateway/config/form"

// Log says how much is told.
type Log struct {
	level Level // "" = info
}

// Level is what is told, with all that weighs more.
type Level string

// The levels.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Level returns what is told: Info where the file does not say.
func (l *Log) Level() Level {
	if l.level == "" {
		return Info
	}
	return l.level
}

// Field describes the part of the file.
func (l *Log) Field() form.Field {
	return form.Field{Key: "log", Doc: "What is told on standard error.", Value: form.Object{Fields: []form.Field{
		{Key: "level", Doc: "This and what weighs more; info where absent. Changes are taken up while it runs; --log-level goes before what stands here at the start.", Value: form.Word(&l.level, Debug, Info, Warn, Error)},
	}}}
}

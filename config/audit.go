package config

import (
	"time"

	"mcp-gateway/config/form"
)

// Audit says how events are kept.
type Audit struct {
	Read, Write, Destructive Durability // by the tool's side effect
	Subjects                 Subjects
	Export                   Export
	Retention                Retention
	Details                  time.Duration // how long arguments are kept, encrypted; 0 = they are not
}

// Export is the second place to which checkpoints of the journal are taken;
// none, one or both.
type Export struct {
	File string
	HTTP *HTTP
}

// Retention says which events may be deleted: those older than Age, and the
// oldest while the journal has more than Size bytes. What is deleted ends at a
// checkpoint. Zero = none.
type Retention struct {
	Age  time.Duration
	Size int
}

// The bounds of retention.
const (
	shortestAge   = time.Hour
	longestAge    = 20 * 365 * 24 * time.Hour
	mostJournal   = 1 << 50
	longestDetail = 30 * 24 * time.Hour
)

func (l *loader) auditing(v *Audit) form.Value {
	durability := func(key string, dst *Durability) form.Field {
		return form.Field{Key: key, Doc: "When an event of such a call counts as recorded.", Value: form.Word(dst, Process, Disk)}
	}
	return form.Object{Fields: []form.Field{
		{Key: "durability", Doc: "By the tool's side effect.", Value: form.Object{Fields: []form.Field{
			durability("read", &v.Read), durability("write", &v.Write), durability("destructive", &v.Destructive),
		}}},
		{Key: "subjects", Doc: "How events name people.", Value: form.Word(&v.Subjects, Pseudonym, Plain)},
		{Key: "export", Doc: "A second place for the journal's checkpoints, out of reach of whoever could write the journal anew.", Value: form.Object{Fields: []form.Field{
			{Key: "file", Doc: "Appends to this file, which should lie on another machine's disk.", Value: l.path(&v.Export.File)},
			{Key: "http", Doc: "Posts each checkpoint as text.", Value: optional(&v.Export.HTTP, l.http)},
		}}},
		{Key: "retention", Doc: "What may be deleted; everything is kept where absent.", Value: form.Object{Fields: []form.Field{
			{Key: "age", Doc: "Events older than this.", Value: form.Duration(&v.Retention.Age, shortestAge, longestAge)},
			{Key: "size", Doc: "The oldest events while the journal is larger.", Value: form.Size(&v.Retention.Size, mostJournal)},
		}}},
		{Key: "details", Doc: "Keeps the arguments of calls, encrypted, for so long; they are not kept where absent.", Value: form.Duration(&v.Details, time.Minute, longestDetail)},
	}}
}

package config

import (
	"mcp-gateway/config/form"
	"mcp-gateway/config/keeping"
)

// Audit says how events are kept.
type Audit struct {
	Read, Write, Destructive Durability // by the tool's side effect
	Subjects                 Subjects
	Export                   Export
	Retention                Retention
	Detail                   Detail
}

// Retention says how long events are kept; what is zero keeps them for ever.
type Retention = keeping.Retention

// Detail says whether arguments are kept.
type Detail = keeping.Detail

// Export is the second place to which checkpoints of the journal are taken;
// none, one or both.
type Export struct {
	File string
	HTTP *HTTP
}

func (l *loader) auditing(v *Audit) form.Value {
	durability := func(key string, dst *Durability) form.Field {
		return form.Field{Key: key, Doc: "When an event of such a call counts as recorded.", Value: form.Word(dst, Process, Disk)}
	}
	return form.Object{Fields: []form.Field{
		{Key: "durability", Doc: "By the tool's side effect.", Value: form.Object{Fields: []form.Field{
			durability("read", &v.Read), durability("write", &v.Write), durability("destructive", &v.Destructive),
		}}},
		{Key: "subjects", Doc: "How events name people.", Value: form.Word(&v.Subjects, Pseudonym, Plain)},
		{Key: "retention", Doc: "How long the journal is kept: whole segments of 64MiB behind a checkpoint are removed, oldest first, each time on record. Absent: for ever.", Value: v.Retention.Form()},
		{Key: "detail", Doc: "Keeps the arguments of calls, each encrypted by a key of its own; absent: none are kept. Each look at them is an event.", Value: v.Detail.Form()},
		{Key: "export", Doc: "A second place for the journal's checkpoints, out of reach of whoever could write the journal anew.", Value: form.Object{Fields: []form.Field{
			{Key: "file", Doc: "Appends to this file, which should lie on another machine's disk.", Value: l.path(&v.Export.File)},
			{Key: "http", Doc: "Posts each checkpoint as text.", Value: optional(&v.Export.HTTP, l.http)},
		}}},
	}}
}

// Package export writes events in the forms that other systems read: OCSF API
// Activity, CloudEvents, and OTLP logs. What it writes has nothing that the event
// has not.
//
// Map:
//
//	story.go        Stories: a decided event joined with what became of it
//	ocsf.go         OCSF: API Activity (6003) with the profiles ai_operation and trace
//	cloudevents.go  CloudEvents: the event in the envelope of CloudEvents 1.0
//	otlp.go         OTLP: a request of log records, as OTLP/HTTP takes it in JSON
package export

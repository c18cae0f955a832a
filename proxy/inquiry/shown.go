package inquiry

import (
	"mcp-gateway/protocol"
)

// Shown returns the params of a question as a person is shown it: one that leads to
// a page says first to which host, whatever its text says (2026-07-28, Elicitation,
// Safe URL Handling).
func (q *Question) Shown() []byte {
	if q.Method != protocol.MethodElicit || !q.isURL() {
		return q.Params
	}
	_, host := q.target()
	raw, _ := protocol.Member(q.Params, "message")
	text, _ := protocol.Text(raw)
	message := protocol.AppendString(nil, "[opens "+host+"] "+text)
	return with(q.Params, "message", message)
}

// ShowHosts returns an InputRequiredResult with its questions as they are shown. It
// is the result itself where no question leads to a page.
func ShowHosts(result []byte, asked Inquiry) []byte {
	pages := false
	requests := []byte{'{'}
	for i := range asked.Questions {
		q := &asked.Questions[i]
		pages = pages || q.Method == protocol.MethodElicit && q.isURL()
		if i > 0 {
			requests = append(requests, ',')
		}
		requests = append(protocol.AppendString(requests, q.Key), `:{"method":`...)
		requests = protocol.AppendString(requests, q.Method)
		if q.Params != nil {
			requests = append(append(requests, `,"params":`...), q.Shown()...)
		}
		requests = append(requests, '}')
	}
	if !pages {
		return result
	}
	return with(result, "inputRequests", append(requests, '}'))
}

// with returns an object with one member replaced or, where it is missing, added.
func with(object []byte, name string, value []byte) []byte {
	out, there := []byte{'{'}, false
	add := func(n string, v []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(protocol.AppendString(out, n), ':'), v...)
	}
	for n, v := range protocol.Members(object) {
		if string(n) == name {
			v, there = value, true
		}
		add(string(n), v)
	}
	if !there {
		add(name, value)
	}
	return append(out, '}')
}

package redact_test

import (
	"fmt"

	"mcp-gateway/redact"
)

func ExampleRedactor_Result() {
	r := redact.New(redact.Options{})
	clean, err := r.Result([]byte(`{"content":[{"type":"text","text":"\u001b[31mkey\u001b[0m AKIAQ7ZZZZZZZZZZZZ2A"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(clean.Bytes()))
	fmt.Println(clean.Report().Redactions, clean.Report().Removed)
	// Output:
	// {"content":[{"type":"text","text":"key [redacted:aws_access_key]"}]}
	// [{aws_access_key 1}] [{control_chars 2}]
}

func ExampleRedactor_Definition() {
	r := redact.New(redact.Options{})
	clean, findings, _ := r.Definition([]byte(`{"name":"ls","description":"Lists.\u200b","inputSchema":{"properties":{"p\u202e":{}}}}`))
	fmt.Println(string(clean))
	for _, f := range findings {
		fmt.Println(f.Severity, f.Code, f.Path)
	}
	// Output:
	// {"name":"ls","description":"Lists.","inputSchema":{"properties":{"p\u202e":{}}}}
	// warning hidden_unicode /description
	// critical bidi /inputSchema/properties/p
}

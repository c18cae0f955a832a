package fidelity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// carried are types that pass as those that they hold.
var carried = map[string]string{
	"CallToolRequest": "CallToolRequestParams", "GetPromptRequest": "GetPromptRequestParams", "CompleteRequest": "CompleteRequestParams",
	"ReadResourceRequest": "ReadResourceRequestParams", "ResourceRequestParams": "ReadResourceRequestParams",
	"LoggingMessageNotification": "LoggingMessageNotificationParams", "ProgressNotification": "ProgressNotificationParams",
	"CreateMessageRequest": "CreateMessageRequestParams", "ElicitRequest": "ElicitRequestFormParams", "ElicitRequestParams": "ElicitRequestFormParams",
	"InputRequest": "ElicitRequestFormParams", "InputRequests": "InputRequiredResult", "InputResponseRequestParams": "InputResponses",
	"CallToolResultResponse": "CallToolResult", "GetPromptResultResponse": "GetPromptResult", "CompleteResultResponse": "CompleteResult",
	"ReadResourceResultResponse": "ReadResourceResult", "ResourceContents": "TextResourceContents", "JSONArray": "JSONValue", "ResultType": "CallToolResult",
	"ListToolsResult": "Tool", "ListPromptsResult": "Prompt", "ListResourcesResult": "Resource", "ListResourceTemplatesResult": "ResourceTemplate",
	"EnumSchema": "PrimitiveSchemaDefinition", "SingleSelectEnumSchema": "PrimitiveSchemaDefinition", "MultiSelectEnumSchema": "PrimitiveSchemaDefinition",
}

// ends are types that do not pass, by why. A word with * is how their names begin
// or end.
var ends = []struct {
	why   string
	names []string
}{
	{"a base or a union of others", []string{"JSONRPCMessage", "JSONRPCRequest", "JSONRPCNotification", "JSONRPCResponse", "JSONRPCResultResponse", "Request", "RequestParams",
		"Notification", "NotificationParams", "Result", "ClientRequest", "ClientResult", "ClientNotification", "ServerRequest", "ServerResult", "ServerNotification",
		"BaseMetadata", "Icons", "CacheableResult", "Paginated*", "TaskAugmentedRequestParams"}},
	{"each hop's own", []string{"Discover*", "Initialize*", "Ping*", "SetLevel*", "Subscribe*", "Unsubscribe*", "Subscription*", "ListToolsRequest", "ListPromptsRequest",
		"ListResourcesRequest", "ListResourceTemplatesRequest", "List*ResultResponse",
		"RequestMetaObject", "NotificationMetaObject", "Cursor", "RequestId", "EmptyResult", "ServerCapabilities", "ClientCapabilities", "Implementation", "Cancelled*"}},
	{"told anew to whom it concerns", []string{"*ListChangedNotification", "ResourceUpdated*"}},
	{"not relayed", []string{"ElicitationComplete*"}},
	{"the reviewer's facts are shown instead", []string{"ToolAnnotations", "ToolExecution"}},
	{"replaced by the gateway's own", []string{"Error", "*Error", "JSONRPCErrorResponse"}},
	{noTasks, []string{"*Task", "Task*", "*Task*", "RelatedTaskMetadata"}},
}

// noTasks: what runs as a task is withheld. A task member of something else is as any
// that nobody knows.
const noTasks = "no tasks"

func ending(name string) string {
	for _, e := range ends {
		for _, pattern := range e.names {
			before, after, wild := strings.Cut(pattern, "*")
			last := strings.TrimSuffix(after, "*")
			switch {
			case pattern == name,
				wild && strings.HasSuffix(after, "*") && strings.Contains(name, last),
				wild && !strings.HasSuffix(after, "*") && strings.HasPrefix(name, before) && strings.HasSuffix(name, after):
				return e.why
			}
		}
	}
	return ""
}

// everyType holds that every type of a revision was drawn, is carried by one that
// was, or is named as one that does not pass; it prints the counts.
func everyType(t *testing.T, revision string, drawn map[string]int) {
	t.Helper()
	s, _ := load(t, revision, nil)
	var b strings.Builder
	passed := 0
	for _, name := range slices.Sorted(maps.Keys(s.defs)) {
		n := drawn[name]
		if n == 0 {
			n = drawn[carried[name]]
		}
		why := ending(name)
		switch {
		case why != "" && why != noTasks: // drawn, perhaps, as a part that does not pass
			fmt.Fprintf(&b, "\n  %-42s does not pass: %s", name, why)
		case n > 0:
			passed++
			fmt.Fprintf(&b, "\n  %-42s %6d instances", name, n)
		case why != "":
			fmt.Fprintf(&b, "\n  %-42s does not pass: %s", name, why)
		default:
			t.Errorf("%s: no instance of %s was sent", revision, name)
		}
	}
	t.Logf("%s: %d types, %d of them pass%s", revision, len(s.defs), passed, b.String())
}

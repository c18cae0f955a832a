package answer

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"mcp-gateway/audit/index"
	"mcp-gateway/cmd/mcp-gateway/cli"
)

// SQL writes what a question in SQL found. Two columns of one name are refused where
// names are what tells values apart.
func SQL(cmd *cobra.Command, found *index.Answer, format string) error {
	t := &cli.Table{Columns: found.Columns, Values: make([][]any, 0, len(found.Rows))}
	seen := map[string]bool{}
	for _, c := range found.Columns {
		if name := cli.Member(c); (format == "json" || format == "jsonl") && seen[name] {
			return cli.Misused("two columns are called %q; name one by AS", name)
		} else {
			seen[name] = true
		}
	}
	for _, row := range found.Rows {
		cells, values := make([]string, len(row)), make([]any, len(row))
		for i, v := range row {
			cells[i], values[i] = cell(v)
		}
		t.Add(cells...)
		t.Values = append(t.Values, values)
	}
	if found.Cut {
		fmt.Fprintf(cmd.ErrOrStderr(), "only the first %d rows; there are more\n", len(found.Rows))
	}
	return t.Write(cmd.OutOrStdout(), format)
}

// cell is a value as text and as JSON has it.
func cell(v any) (text string, value any) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case []byte:
		text = hex.EncodeToString(v)
		return text, text
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
		if math.IsInf(v, 0) { // JSON has no such number
			return text, text
		}
		return text, v
	default:
		return fmt.Sprint(v), v
	}
}

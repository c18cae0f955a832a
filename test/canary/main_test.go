package canary

import (
	"fmt"
	"os"
	"testing"

	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, map[string]func([]string){"child": child}))
}

// child says its canaries on standard error, and between its messages. Each is what
// the file holds that its first argument names, with a number; those on standard error
// are tokens, since operators may read that stream.
func child(args []string) {
	canary, err := os.ReadFile(args[0])
	if err != nil {
		os.Exit(2)
	}
	said := func(n int) string { return fmt.Sprintf("%s-%d", canary, n) }
	fmt.Fprintln(os.Stderr, "starting with", args[1])
	fmt.Println(said(1))
	stage.Lines(func(m stage.Message) {
		if stage.Speak(m, stage.Tool("fails"), stage.Tool("noise"), stage.Tool("dies")) || len(m.ID) == 0 {
			return
		}
		switch m.Name() {
		case "fails":
			fmt.Fprintln(os.Stderr, "Authorization: Bearer", args[1])
			fmt.Println(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32000,"message":"` + said(2) + `","data":{"trace":"` + said(3) + `"}}}`)
		case "noise":
			fmt.Println(`{"jsonrpc":"2.0","method":"` + said(4) + `","params":{}}`)
			fmt.Println(`{"jsonrpc":"2.0","id":"` + said(5) + `","result":{}}`)
			fmt.Println(stage.Response(m.ID, stage.Text(`"`+said(6)+`"`)))
		case "dies":
			fmt.Println(said(7))
			os.Exit(3)
		}
	})
}

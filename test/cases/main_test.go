package cases

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, roles())) }

// roles are the processes that are upstreams of these tests, by name.
func roles() map[string]func(args []string) {
	return map[string]func([]string){
		"starts": starts, "env": environment, "strays": strays, "noisy": noisy, "waits": waits, "asks": asks, "plain": plain,
		"hostile": hostileProcess,
	}
}

// serve answers with the good tool and with others, each by what it says.
func serve(others map[string]func(m stage.Message)) {
	tools := []string{stage.Tool("good")}
	for name := range others {
		tools = append(tools, stage.Tool(name))
	}
	stage.Lines(func(m stage.Message) {
		if stage.Speak(m, tools...) || len(m.ID) == 0 {
			return
		}
		if other := others[m.Name()]; other != nil {
			other(m)
			return
		}
		fmt.Println(stage.Response(m.ID, stage.Text(done)))
	})
}

func plain([]string) { serve(nil) }

// starts notes how it was started and is plain.
func starts(args []string) {
	note(os.Getenv(startsVar), strings.Join(args, " "))
	serve(nil)
}

// environment tells the names of its variables.
func environment([]string) {
	serve(map[string]func(stage.Message){"names": func(m stage.Message) {
		var names []string
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, name)
		}
		fmt.Println(stage.Response(m.ID, stage.Text(`"`+strings.Join(names, " ")+`"`)))
	}})
}

// strays answers twice, and answers what nobody asked.
func strays([]string) {
	serve(map[string]func(stage.Message){"twice": func(m stage.Message) {
		fmt.Println(stage.Response([]byte("99999"), stage.Text(`"never asked"`)))
		fmt.Println(stage.Response(m.ID, `{"content":[]}`))
		fmt.Println(stage.Response(m.ID, stage.Text(`"second"`)))
		fmt.Println(stage.Response([]byte(`"`+string(m.ID)+`"`), stage.Text(`"as text"`)))
	}})
}

// noisy writes what is no message between its messages; "floods" does nothing else.
func noisy([]string) {
	fmt.Println("Server started")
	serve(map[string]func(stage.Message){
		"noise": func(m stage.Message) {
			fmt.Println("{not json")
			fmt.Println("\x1b[31mred\x1b[0m")
			fmt.Println(stage.Response(m.ID, stage.Text(done)))
		},
		"floods": func(stage.Message) {
			for range 5000 {
				fmt.Println("{not json")
			}
		},
	})
}

// waits never answers its tool "wait"; what it hears meanwhile goes into a file.
func waits(args []string) {
	stage.Lines(func(m stage.Message) {
		switch {
		case stage.Speak(m, stage.Tool("wait"), stage.Tool("good")):
		case m.Name() == "good":
			fmt.Println(stage.Response(m.ID, stage.Text(done)))
		default:
			note(args[0], fmt.Sprintf("%s %s %s", m.Method, m.ID, m.Params))
		}
	})
}

// asks asks for a sample before it answers, and tells what it was answered.
func asks([]string) {
	var pending stage.Message
	stage.Lines(func(m stage.Message) {
		switch {
		case stage.Speak(m, stage.Tool("good"), stage.Tool("ask")):
		case m.Name() == "good":
			fmt.Println(stage.Response(m.ID, stage.Text(done)))
		case m.Name() == "ask":
			pending = m
			fmt.Println(`{"jsonrpc":"2.0","id":"u1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		case string(m.ID) == `"u1"`:
			fmt.Println(stage.Response(pending.ID, stage.Text(`"declined"`)))
		}
	})
}

// note appends a line to a file, in one write.
func note(path, line string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
	}
	if err != nil {
		os.Exit(96)
	}
	_ = f.Close() // written
}

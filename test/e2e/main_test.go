package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-gateway/gateway"
	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, roles())) }

// roles are the processes of these tests, by name.
func roles() map[string]func(args []string) {
	return map[string]func([]string){
		"exits":  func([]string) { os.Exit(3) },
		"silent": func([]string) { stage.Lines(func(stage.Message) {}) },
		// Lists its tools and then never answers a call; what it is told
		// meanwhile goes into a file.
		"waits": func(args []string) {
			stage.Lines(func(m stage.Message) {
				if !stage.Speak(m, stage.Tool("wait")) {
					note(args[0], fmt.Sprintf("%s %s %s", m.Method, m.ID, m.Params))
				}
			})
		},
		"dies": func([]string) {
			stage.Lines(func(m stage.Message) {
				if !stage.Speak(m, stage.Tool("die")) {
					os.Exit(4)
				}
			})
		},
		"floods": func([]string) {
			noise := bufio.NewWriter(os.Stderr)
			for range 20_000 {
				fmt.Fprintln(noise, strings.Repeat("noise ", 20))
			}
			echo()
		},
		"banner": func([]string) {
			fmt.Println("Welcome to the server!\n\nListening on stdio.")
			echo()
		},
	}
}

// echo answers every call by its arguments.
func echo() {
	stage.Lines(func(m stage.Message) {
		if !stage.Speak(m, stage.Tool("echo")) && len(m.ID) > 0 {
			fmt.Println(stage.Response(m.ID, `{"content":[],"echo":`+m.Arguments()+`}`))
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

func contains(text []byte, part string) bool { return strings.Contains(string(text), part) }

// toolID names one tool of one upstream.
type toolID = gateway.ItemID

func hasReason(err error, reason gateway.Reason) bool {
	var e *gateway.Error
	return errors.As(err, &e) && slices.Contains(e.Reasons, reason)
}

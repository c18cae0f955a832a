package isolation

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"mcp-gateway/test/stage"
)

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, map[string]func([]string){"dies": dies, "web": web}))
}

// dies ends at each call.
func dies([]string) {
	stage.Lines(func(m stage.Message) {
		if stage.Speak(m, stage.Tool("now")) || len(m.ID) == 0 {
			return
		}
		os.Exit(3)
	})
}

// kinds are what a hostile upstream does. Each has an upstream of its own, of which
// every tool does that.
var kinds = []struct{ name, upstream string }{
	{"hang", "hang"}, {"flood", "flood"}, {"64 MiB", "large"}, {"bombs", "bomb"}, {"crash loop", "child"},
}

// web is the hostile upstream over HTTP, a process of its own: what it costs to make
// what it sends is not the gateway's affair. It says where it is, yields when it is told
// anything, and ends with its standard input.
func web([]string) {
	server := httptest.NewServer(hostile())
	fmt.Println(server.URL)
	for told := bufio.NewScanner(os.Stdin); told.Scan(); {
		yield()
	}
	server.CloseClientConnections()
	server.Close()
}

// yield lets all other processes go first: a hostile server has a machine of its own,
// and what it takes from this one is nothing that a gateway could keep from it.
func yield() {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks { // threads that are made later inherit it
		if id, err := strconv.Atoi(task.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, 10)
		}
	}
}

// startWeb starts web and returns its URL, and what has it yield.
func startWeb(t *testing.T) (url string, yields func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), stage.RoleVar+"=web")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it is what ends the process
		_ = c.Wait()   // however it ended
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), func() { _, _ = io.WriteString(in, "yield\n") }
}

// hostile says too much, too large, too deep, or nothing.
func hostile() *stage.Peer {
	filler := strings.Repeat("x", 1<<20)
	open, shut := strings.Repeat(`{"a":[`, 100_000), strings.Repeat("]}", 100_000)
	event := "data: " + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"` + strings.Repeat("y", 200) + `"}}` + "\n\n"
	p := stage.NewPeer()
	say := func(w io.Writer, parts ...string) bool {
		for _, part := range parts {
			if _, err := io.WriteString(w, part); err != nil {
				return false // the gateway has gone
			}
		}
		return true
	}
	p.Add(stage.Tool("calm"), stage.Result(stage.Text(`"done"`)))
	p.Add(stage.Tool("hang"), func(_ http.ResponseWriter, r *http.Request, _ stage.Message) { <-r.Context().Done() })
	p.Add(stage.Tool("flood"), func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 5000 {
			if !say(w, event) {
				return
			}
		}
		say(w, "data: ", stage.Response(m.ID, `{"resultType":"complete","content":[]}`), "\n\n")
	})
	p.Add(stage.Tool("large"), func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		w.Header().Set("Content-Type", "application/json")
		more := say(w, `{"jsonrpc":"2.0","id":`, string(m.ID), `,"result":{"content":[{"type":"text","text":"`)
		for i := 0; more && i < 64; i++ {
			more = say(w, filler)
		}
		if more {
			say(w, `"}]}}`)
		}
	})
	p.Add(stage.Tool("bomb"), func(w http.ResponseWriter, _ *http.Request, m stage.Message) {
		w.Header().Set("Content-Type", "application/json")
		say(w, `{"jsonrpc":"2.0","id":`, string(m.ID), `,"result":{"content":[],"structuredContent":`, open, shut, `}}`)
	})
	return p
}

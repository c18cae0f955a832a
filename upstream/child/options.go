package child

import (
	"os"
	"time"

	"mcp-gateway/confine"
	"mcp-gateway/gateway"
)

// Reasons why a child failed. They stand in gateway.Error.Reasons of the errors
// of this package and in Status.
const (
	ReasonStartFailed gateway.Reason = "start_failed" // the command could not be started
	ReasonExited      gateway.Reason = "exited"       // the process ended by itself
	ReasonNoise       gateway.Reason = "stdout_noise" // too much on stdout that is no message
	ReasonEndless     gateway.Reason = "endless_line" // one line far beyond the cap
	ReasonStuck       gateway.Reason = "stdin_stuck"  // the process does not read its stdin
	ReasonQueueFull   gateway.Reason = "queue_full"   // too many lines wait to be written
	ReasonCrashLoop   gateway.Reason = "crash_loop"   // several failures in a row
	ReasonStopped     gateway.Reason = "stopped"      // ended by us
	ReasonUnconfined  gateway.Reason = "unconfined"   // it must be confined and could not be
)

// Options say what to run and within which bounds. Zero values mean the
// defaults that are named with each field.
type Options struct {
	Command []string          // argv; the first word is looked up in the gateway's PATH; no shell
	Dir     string            // working directory; empty = the gateway's
	PassEnv []string          // names of variables passed on from the gateway's environment
	Env     map[string]string // further variables; these win over PassEnv

	// Allow is asked before each start; its error keeps the command from being started.
	// nil allows every one.
	Allow func() error

	Confine *confine.Spec // what it may reach; nil = whatever the gateway reaches
	Helper  []string      // the command that confines, such as the gateway's own binary; none = nothing can be confined

	Grace        time.Duration // from closed stdin to SIGKILL, in total; 5 s
	WriteTimeout time.Duration // for one line to be taken by the child; 30 s
	LineLimit    int           // bytes of one stdout line; 16 MiB
	NoiseLines   int           // lines in a row that are no messages; 1,000
	NoiseBytes   int           // bytes of such lines in a row; 1 MiB
	Queue        int           // lines that wait to be written; 128

	StderrLines int                 // lines kept; 200
	Clean       func(string) string // makes a stderr line safe to show; nil drops control characters only
	OnStderr    func(line string)   // called with each kept line, from one goroutine

	Backoff   Backoff       // between restarts
	Steady    time.Duration // a session this long clears the count of failures; 30 s
	CrashLoop int           // failures in a row that are called a crash loop; 5
	// OnDown is called after each failed start or session with the time until
	// the next one; nil for none.
	OnDown func(err error, wait time.Duration)
}

// withDefaults returns o with every zero bound replaced.
func (o Options) withDefaults() Options {
	o.Grace = orDuration(o.Grace, 5*time.Second)
	o.WriteTimeout = orDuration(o.WriteTimeout, 30*time.Second)
	o.LineLimit = orInt(o.LineLimit, 16<<20)
	o.NoiseLines = orInt(o.NoiseLines, 1000)
	o.NoiseBytes = orInt(o.NoiseBytes, 1<<20)
	o.Queue = orInt(o.Queue, 128)
	o.StderrLines = orInt(o.StderrLines, 200)
	o.Steady = orDuration(o.Steady, 30*time.Second)
	o.CrashLoop = orInt(o.CrashLoop, 5)
	if o.Clean == nil {
		o.Clean = dropControls
	}
	return o
}

// environ is the child's whole environment: never nil, for os/exec takes nil to
// mean the gateway's own.
func (o *Options) environ() []string {
	env := make([]string, 0, len(o.PassEnv)+len(o.Env))
	for _, name := range o.PassEnv {
		value, ok := os.LookupEnv(name)
		if _, ours := o.Env[name]; ok && !ours {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range o.Env {
		env = append(env, name+"="+value)
	}
	return env
}

func orInt(v, def int) int {
	if v <= 0 {
		return def
	}
	return v
}

func orDuration(v, def time.Duration) time.Duration {
	if v <= 0 {
		return def
	}
	return v
}

package child

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"mcp-gateway/confine"
	"mcp-gateway/gateway"
)

// helperTime is how long the helper may take to become the child.
const helperTime = 30 * time.Second

var errNoHelper = errors.New("there is no helper that confines")

// command returns the command of opts, through the helper where it is confined,
// with the pipe by which the helper says what is in force.
func command(opts *Options) (*exec.Cmd, *os.File, error) {
	cmd := exec.Command(opts.Command[0], opts.Command[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = opts.environ(), opts.Dir, groupAttr()
	spec := opts.Confine
	switch {
	case spec == nil || len(opts.Helper) == 0 && !spec.Must:
		return cmd, nil, nil
	case len(opts.Helper) == 0:
		return nil, nil, gateway.Because(gateway.CodeUnavailable, errNoHelper, ReasonUnconfined)
	case cmd.Err != nil: // no such program
		return nil, nil, gateway.Because(gateway.CodeUnavailable, cmd.Err, ReasonStartFailed)
	}
	argv, err := confine.Wrap(opts.Helper, *spec, cmd.Path, cmd.Args)
	if err != nil {
		return nil, nil, gateway.Because(gateway.CodeUnavailable, err, ReasonUnconfined)
	}
	helper := exec.Command(argv[0], argv[1:]...)
	helper.Env, helper.Dir, helper.SysProcAttr = cmd.Env, cmd.Dir, cmd.SysProcAttr
	confine.Attr(*spec, helper.SysProcAttr)
	word, write, err := os.Pipe()
	if err != nil {
		return nil, nil, gateway.Because(gateway.CodeUnavailable, err, ReasonStartFailed)
	}
	helper.ExtraFiles = []*os.File{write}
	return helper, word, nil
}

// await notes what is in force once the helper became the child.
func (p *Process) await() (err error) {
	if p.word == nil {
		return nil
	}
	closeAll(p.cmd.ExtraFiles)
	defer p.unheard()
	if err := p.word.SetReadDeadline(time.Now().Add(helperTime)); err != nil {
		return err
	}
	p.confined, err = confine.Await(p.word)
	return err
}

// unheard closes both ends of the helper's pipe.
func (p *Process) unheard() {
	if p.word != nil {
		closeAll(append(p.cmd.ExtraFiles, p.word))
	}
}

// Confined returns what keeps the process from what is not its business.
func (p *Process) Confined() confine.Report { return p.confined }

package command_test

import (
	"strings"
	"testing"

	"mcp-gateway/config/command"
)

// What carries its program in itself is found, whatever starts it, wherever the flag
// stands; a command that starts a file or a package is none of these.
func TestInlineCode(t *testing.T) {
	for _, line := range []string{
		"python -c x", "python3 -Ic x", "/usr/bin/python3.12 -B -W ignore -c x", "PYTHON.EXE -c x", "python3 -", "python3", "ipython -c x",
		"env python3 -c x", "env -i A=b bash -c x", "env -S python3_-c_x", "/usr/bin/env --split-string=x", "uv run python -c x", "uvx --from a python3 -c x",
		"uv run --with a -- python -c x", "poetry run python -c x", "pipx run a python -c x", "conda run -n a python -c x",
		"node -e x", "node --eval=x", "node -pe x", "node --input-type=module -e x", "node --import data:text/javascript,x a.js", "node", "bun -e x", "bun exec x",
		"deno eval x", "npx -c x", "npx --call=x", "npm exec -c x", "pnpm exec -c x", "tsx -e x",
		"sh -c x", "bash -lc x", "bash -o pipefail -c x", "dash -c x", "busybox sh -c x", "fish -c x", "nu -c x", "tcsh -c x", "zsh -s",
		"sudo -u a bash -c x", "timeout 5 sh -c x", "nice -n 5 node -e x", "stdbuf -o0 python -c x", "setsid bash -c x", "nohup perl -e x", "xargs sh -c x",
		"su a -c x", "runuser -u a -- bash -c x", "flock /a -c x", "docker run a sh -c x", "docker exec a python -c x", "kubectl exec a -- bash -c x", "ssh a bash -c x",
		"perl -e x", "perl -nE x", "ruby -e x", "lua -e x", "php -r x", "php --run x", "R -e x", "Rscript -e x", "julia -e x", "elixir --eval x", "awk x", "make --eval=x",
		"cmd /c x", "cmd.exe /K x", "powershell -Command x", "pwsh -c x", "pwsh -Enc x", "pwsh -com x", "powershell -encodedC x", "osascript -e x",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		if _, _, found := command.InlineCode(args); !found {
			t.Errorf("%s passes", line)
		}
	}
	for _, line := range []string{
		"python server.py", "python3 -m server -c conf.toml", "python3 -u /srv/a.py -c conf", "uv run server.py -c conf", "uvx mcp-server-git --repository /a",
		"node /srv/a.js -e production", "node --enable-source-maps dist/index.js", "npx -y @scope/server /srv/docs", "npx -p a server", "bun run server.ts", "deno run -A server.ts",
		"bash /srv/start.sh -c conf", "env -u A server -c conf", "docker run -i --rm -e TOKEN a/b", "java -jar a.jar -e x", "server -c conf -e x", "make serve",
		"pwsh -File a.ps1 -c x", "pwsh -ExecutionPolicy Bypass -File a.ps1", "awk -f a.awk", "ruby server.rb -e production", "perl server.pl -e x", "go run ./server", "flock /a server",
	} {
		if program, flag, found := command.InlineCode(strings.Fields(line)); found {
			t.Errorf("%s is refused for %s %s", line, program, flag)
		}
	}
}

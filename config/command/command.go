package command

import (
	"path/filepath"
	"strings"
)

// interpreter says which of a program's flags carry code: short ones by their
// letter, long ones by name; valued are the short ones that take a value.
type interpreter struct {
	short, valued string
	long          []string
	prefixes      []string // long ones that may be written as any beginning of theirs
	words         bool     // its flags may stand behind words too, such as "npm exec -c"
	first         bool     // its first word is a program, unless a flag -f names a file
	stdin         bool     // without a script it takes the program from standard input
}

// InlineCode finds the argument by which a command carries its program in
// itself: "sh -c", "env python3 -Ic", "node --eval=…", "deno eval". Such a
// command hides from review what it runs and lets a shell split words.
func InlineCode(command []string) (program, flag string, found bool) {
	for i, arg := range command {
		if i > 0 && inData(arg) {
			return command[0], arg, true
		}
		in, known := interpreterOf(arg)
		if !known {
			continue
		}
		if i > 0 { // perhaps a mere word: only its flags tell
			in.first, in.stdin = false, false
		}
		if flag, found := in.inline(command[i+1:]); found {
			return arg, flag, true
		}
	}
	return "", "", false
}

// inData says whether an argument is a module that stands in the argument itself, such as
// that of node --import data:text/javascript,…
func inData(arg string) bool {
	arg = strings.ToLower(arg)
	return strings.Contains(arg, "data:text/javascript") || strings.Contains(arg, "data:application/javascript") ||
		strings.Contains(arg, "data:text/typescript") || strings.Contains(arg, "data:application/typescript")
}

// onStdin stands for the flag of a command that takes its program from standard
// input, where messages belong.
const onStdin = "(standard input)"

func interpreterOf(arg string) (interpreter, bool) {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(arg, `\`, "/")))
	name = strings.TrimSuffix(name, ".exe")
	switch strings.TrimRight(name, "0123456789.-") {
	case "sh", "bash", "rbash", "dash", "zsh", "ksh", "mksh", "yash", "ash", "csh", "tcsh", "fish", "nu", "xonsh", "elvish":
		return interpreter{short: "cs", valued: "oO", long: []string{"--command"}, stdin: true}, true
	case "cmd":
		return interpreter{long: []string{"/c", "/k"}}, true
	case "powershell", "pwsh":
		return interpreter{prefixes: []string{"-command", "-encodedcommand"}, long: []string{"-ec"}}, true
	case "node", "nodejs", "bun", "qjs":
		return interpreter{short: "ep", valued: "rC", long: []string{"--eval", "--print", "exec"}, stdin: true}, true
	case "deno":
		return interpreter{long: []string{"eval"}}, true
	case "python", "pythonw", "pypy", "ipython":
		return interpreter{short: "c", valued: "WX", stdin: true}, true
	case "perl":
		return interpreter{short: "eE", valued: "IMmCx"}, true
	case "npx", "bunx", "pnpx":
		return interpreter{short: "c", valued: "pw", long: []string{"--call"}}, true
	case "npm", "pnpm", "yarn":
		return interpreter{short: "c", long: []string{"--call"}, words: true}, true
	case "tsx", "ts-node", "r", "rscript", "groovy", "julia", "elixir", "erl", "scala", "jshell", "kotlin", "raku", "racket",
		"sbcl", "clojure", "clj", "bb", "octave", "guile", "emacs", "make", "gmake":
		return interpreter{short: "epE", long: []string{"--eval", "--print", "--print-eval", "-eval", "--evaluate"}}, true
	case "su", "runuser", "flock", "expect":
		return interpreter{short: "c", long: []string{"--command"}, words: true}, true
	case "env":
		return interpreter{short: "S", valued: "uC", long: []string{"--split-string"}}, true
	case "awk", "gawk", "mawk", "nawk", "sed":
		return interpreter{valued: "Fv", first: true}, true
	case "xargs", "parallel", "find", "script":
		return interpreter{short: "c", first: true}, true
	case "ruby", "lua", "luajit", "osascript":
		return interpreter{short: "e", valued: "IrlC"}, true
	case "php":
		return interpreter{short: "rBRE", valued: "dcz", long: []string{"--run"}}, true
	}
	return interpreter{}, false
}

// inline looks through an interpreter's own flags, which end at its script.
func (in interpreter) inline(args []string) (string, bool) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, _, _ := strings.Cut(strings.ToLower(arg), "=")
		for _, long := range in.long {
			if name == long {
				return arg, true
			}
		}
		for _, whole := range in.prefixes {
			if len(name) > 1 && strings.HasPrefix(whole, name) {
				return arg, true
			}
		}
		switch {
		case arg == "-":
			return onStdin, true
		case arg == "-f" && in.first, arg == "-m" && in.stdin: // the program is a file, or an installed module
			return "", false
		case arg == "--" && !in.first:
			return "", false
		case !strings.HasPrefix(arg, "-") && in.words:
			continue
		case !strings.HasPrefix(arg, "-"):
			return arg, in.first
		case strings.HasPrefix(arg, "--"):
			continue
		}
		letter, last := in.cluster(arg[1:])
		if letter {
			return arg, true
		}
		if last {
			i++
		}
	}
	return onStdin, in.stdin
}

// cluster reads joined short flags: whether one of them carries code, and
// whether the last one takes the next argument as its value.
func (in interpreter) cluster(letters string) (code, takesNext bool) {
	for i := 0; i < len(letters); i++ {
		if strings.IndexByte(in.short, letters[i]) >= 0 {
			return true, false
		}
		if strings.IndexByte(in.valued, letters[i]) >= 0 {
			return false, i == len(letters)-1
		}
	}
	return false, false
}

// SecretArgument finds an argument that is a secret by the name of its flag:
// "--api-key=…" or "--token …". It returns the index of the secret.
func SecretArgument(command []string) (int, bool) {
	for i, arg := range command {
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case !SoundsSecret(name):
		case joined && value != "":
			return i, true
		case !joined && i+1 < len(command) && !strings.HasPrefix(command[i+1], "-"):
			return i + 1, true
		}
	}
	return 0, false
}

// SoundsSecret tells names of variables and flags that usually hold secrets.
func SoundsSecret(name string) bool {
	name = strings.ToUpper(strings.NewReplacer("-", "", "_", "").Replace(name))
	if strings.HasSuffix(name, "FILE") || strings.HasSuffix(name, "PATH") {
		return false // names where the secret is
	}
	for _, word := range [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "CREDENTIAL"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

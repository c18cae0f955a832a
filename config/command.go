package config

import (
	"path/filepath"
	"strings"
)

// interpreter says which of a program's flags carry code: short ones by their
// letter, long ones by name; valued are the short ones that take a value.
type interpreter struct {
	short, valued string
	long          []string
}

// inlineCode finds the argument by which a command carries its program in
// itself: "sh -c", "env python3 -Ic", "node --eval=…", "deno eval". Such a
// command hides from review what it runs and lets a shell split words.
func inlineCode(command []string) (program, flag string, found bool) {
	for i, arg := range command {
		in, known := interpreterOf(arg)
		if !known {
			continue
		}
		if flag, found := in.inline(command[i+1:]); found {
			return arg, flag, true
		}
	}
	return "", "", false
}

func interpreterOf(arg string) (interpreter, bool) {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(arg, `\`, "/")))
	name = strings.TrimSuffix(name, ".exe")
	switch strings.TrimRight(name, "0123456789.-") {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "fish":
		return interpreter{short: "cs", valued: "oO", long: []string{"--command"}}, true
	case "cmd":
		return interpreter{long: []string{"/c", "/k"}}, true
	case "powershell", "pwsh":
		return interpreter{long: []string{"-c", "-command", "-e", "-ec", "-enc", "-encodedcommand"}}, true
	case "node", "nodejs", "bun":
		return interpreter{short: "ep", valued: "rC", long: []string{"--eval", "--print"}}, true
	case "deno":
		return interpreter{long: []string{"eval"}}, true
	case "python", "pypy":
		return interpreter{short: "c", valued: "WXm"}, true
	case "perl":
		return interpreter{short: "eE", valued: "IMmCx"}, true
	case "ruby", "lua", "osascript":
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
		switch {
		case arg == "-": // the program comes on standard input, where messages belong
			return arg, true
		case arg == "--" || !strings.HasPrefix(arg, "-"):
			return "", false
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
	return "", false
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

// secretArgument finds an argument that is a secret by the name of its flag:
// "--api-key=…" or "--token …". It returns the index of the secret.
func secretArgument(command []string) (int, bool) {
	for i, arg := range command {
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case !soundsSecret(name):
		case joined && value != "":
			return i, true
		case !joined && i+1 < len(command) && !strings.HasPrefix(command[i+1], "-"):
			return i + 1, true
		}
	}
	return 0, false
}

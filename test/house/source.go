package house

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// module is the path of this module.
const module = "mcp-gateway"

// file is one parsed Go file of the tree.
type file struct {
	path string // slash-separated, from the root
	ast  *ast.File
	fset *token.FileSet
	size int // lines
	code int // lines that hold more than blanks and comments
}

func (f *file) dir() string          { return path.Dir(f.path) }
func (f *file) isTest() bool         { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) line(p token.Pos) int { return f.fset.Position(p).Line }

// root finds the folder that holds go.mod.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", fs.ErrNotExist
	}
	return "", err
}

// tree parses every Go file below the root but for other modules and what is
// not ours.
func tree(dir string) ([]*file, error) {
	var files []*file
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(dir, p):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		f := &file{path: filepath.ToSlash(rel), fset: token.NewFileSet(), size: strings.Count(string(text), "\n")}
		f.code = codeLines(f.path, text)
		f.ast, err = parser.ParseFile(f.fset, f.path, text, parser.ParseComments)
		files = append(files, f)
		return err
	})
	return files, err
}

// codeLines counts the lines on which a token stands that is no comment.
func codeLines(name string, text []byte) int {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile(name, fset.Base(), len(text))
	s.Init(file, text, nil, 0)
	lines := make(map[int]bool)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range strings.Count(lit, "\n") + 1 {
			lines[first+i] = true
		}
	}
}

func skipped(dir, p string) bool {
	if p == dir {
		return false
	}
	name := filepath.Base(p)
	if name == "testdata" || name == "node_modules" || name == "var" || name == "warm" || strings.HasPrefix(name, ".") {
		return true
	}
	_, err := os.Stat(filepath.Join(p, "go.mod"))
	return err == nil
}

// packages groups the files that are no tests by folder.
func packages(files []*file) map[string][]*file {
	byDir := make(map[string][]*file)
	for _, f := range files {
		if !f.isTest() {
			byDir[f.dir()] = append(byDir[f.dir()], f)
		}
	}
	return byDir
}

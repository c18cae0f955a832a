package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"mcp-gateway/auth/staff"
	"mcp-gateway/registry/diff"
)

//go:embed pages static
var files embed.FS

// names are the pages, each on the layout.
func names() []string {
	return []string{"login", "again", "pending", "detail", "decided", "remembered", "trouble"}
}

// pages are the templates and what they refer to.
type pages struct {
	all     map[string]*template.Template
	version string // of what is static: a new one lies elsewhere
}

func newPages() (*pages, error) {
	p := &pages{all: map[string]*template.Template{}}
	sum := sha256.New()
	err := fs.WalkDir(files, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		sum.Write(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.version = hex.EncodeToString(sum.Sum(nil)[:6])
	functions := template.FuncMap{
		"static":  func(name string) string { return Path + "static/" + p.version + "/" + name },
		"moment":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"plain":   diff.Visible,
	}
	for _, name := range names() {
		if p.all[name], err = template.New("").Funcs(functions).ParseFS(files, "pages/layout.html", "pages/"+name+".html"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// framed is what the layout shows around a page.
type framed struct {
	Who  *staff.Member
	Room string
	Page any
}

func frame(who *staff.Member, room string, page any) framed { return framed{who, room, page} }

// show shows a page; one without a frame is for those who are not signed in.
func (p *pages) show(w http.ResponseWriter, status int, name string, data any) {
	if _, ok := data.(framed); !ok {
		data = framed{Page: data}
	}
	p.render(w, status, name, "layout", data)
}

// part shows a part of a page, for one that is open.
func (p *pages) part(w http.ResponseWriter, name, part string, data any) {
	p.render(w, http.StatusOK, name, part, data)
}

// render is whole before the first byte is sent.
func (p *pages) render(w http.ResponseWriter, status int, name, part string, data any) {
	var text bytes.Buffer
	if err := p.all[name].ExecuteTemplate(&text, part, data); err != nil {
		http.Error(w, "This page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w) // whoever asked may have gone
}

// mishap is what was not done, and the page below Path to which that leads back; "" = none.
type mishap struct{ Sentence, Back string }

func (c *Console) trouble(w http.ResponseWriter, status int, who *staff.Member, sentence string) {
	c.pages.show(w, status, "trouble", frame(who, "", mishap{Sentence: sentence}))
}

// static serves style and scripts, which browsers may keep: their place names their
// version.
func (p *pages) static() http.Handler {
	inner, _ := fs.Sub(files, "static") // the folder is embedded
	serve := http.FileServerFS(inner)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, ok := strings.CutPrefix(r.URL.Path, Path+"static/"+p.version+"/")
		if !ok || rest == "" || strings.Contains(rest, "/") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		again := r.Clone(r.Context())
		again.URL.Path = "/" + rest
		serve.ServeHTTP(w, again)
	})
}

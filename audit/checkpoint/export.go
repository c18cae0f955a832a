package checkpoint

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Exporter takes a signed note to a second place. It returns once the note is
// there.
type Exporter interface {
	Export(ctx context.Context, note string) error
}

// File exports to a file, which should lie on another machine's disk.
type File struct{ Path string }

// Export appends the note, durably.
func (f File) Export(_ context.Context, note string) error { return Append(f.Path, note) }

// HTTP exports by one POST a note, as text/plain; any 2xx takes it. The same
// note may come twice.
type HTTP struct {
	URL    string
	Bearer string // "" = none
	Client *http.Client
}

// maxAnswer is how much of an answer is read to let the connection live.
const maxAnswer = 4 << 10

// Export posts the note.
func (h HTTP) Export(ctx context.Context, note string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, strings.NewReader(note))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	if h.Bearer != "" {
		req.Header.Set("Authorization", "Bearer "+h.Bearer)
	}
	resp, err := h.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer) // the status alone counts
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("checkpoint: the second place answered %s", resp.Status)
	}
	return nil
}

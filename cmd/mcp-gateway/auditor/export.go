package auditor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcp-gateway/cmd/mcp-gateway/auditor/records"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/egress"
)

func (d *desk) export() *cobra.Command {
	q, form, file, endpoint := &question{}, "", "", ""
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write events for other systems: OCSF, CloudEvents, OTLP logs or the journal's own lines",
		Long: "Write events for other systems, one JSON object a line:\n\n" +
			"  ocsf         API Activity (6003) with ai_operation: one for each action, with what became of it\n" +
			"  cloudevents  each event in the envelope of CloudEvents 1.0\n" +
			"  otlp         log records in requests of OTLP/HTTP in JSON; with --endpoint they are posted there\n" +
			"  jsonl        the journal's own lines",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.OneOf("--format", form, records.OCSF, records.CloudEvents, records.OTLP, records.JSONL); err != nil {
				return err
			}
			if endpoint != "" && form != records.OTLP {
				return cli.Misused("--endpoint goes with --format otlp")
			}
			a, err := d.open(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // it was only read
			f, err := q.filter(cmd.Context(), time.Now(), a)
			if err != nil {
				return err
			}
			w, done, err := target(cmd, file, endpoint)
			if err != nil {
				return err
			}
			o := records.Export{Form: form, Filter: f, Build: cmd.Root().Version, Bar: cli.NewBar(cmd.ErrOrStderr(), "bytes")}
			if err := a.Export(cmd.Context(), w, o); err != nil {
				_ = done() // the first error is the one that counts
				return err
			}
			return done()
		},
	}
	q.flags(cmd)
	cmd.Flags().StringVar(&form, "format", records.OCSF, "ocsf, cloudevents, otlp or jsonl")
	cmd.Flags().StringVar(&file, "file", "", "write to this `file`, which must not be there yet, instead of standard output")
	cmd.Flags().StringVar(&endpoint, "endpoint", "", "post OTLP logs to this `URL`, such as https://collector.example/v1/logs")
	return cmd
}

// target is where an export goes.
func target(cmd *cobra.Command, file, endpoint string) (io.Writer, func() error, error) {
	switch {
	case endpoint != "":
		to, err := url.Parse(endpoint)
		if err != nil || to.Host == "" {
			return nil, nil, cli.Misused("--endpoint: wants a URL")
		}
		client := egress.NewClient(egress.Options{AllowHosts: []string{to.Hostname()}})
		return &poster{cmd.Context(), client, endpoint}, func() error { return nil }, nil
	case file != "":
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, nil, err
		}
		return f, f.Close, nil
	default:
		return cmd.OutOrStdout(), func() error { return nil }, nil
	}
}

// poster posts each line that is written to it.
type poster struct {
	ctx    context.Context
	client *http.Client
	url    string
}

// postTime is how long one request may take.
const postTime = 30 * time.Second

func (p *poster) Write(line []byte) (int, error) {
	ctx, cancel := context.WithTimeout(p.ctx, postTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(line))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return 0, fmt.Errorf("%s answered %s", p.url, resp.Status)
	}
	return len(line), nil
}

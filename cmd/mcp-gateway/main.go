package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sys/unix"

	"mcp-gateway/cmd/mcp-gateway/auditor"
	"mcp-gateway/cmd/mcp-gateway/author"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/demo"
	"mcp-gateway/cmd/mcp-gateway/operator"
	"mcp-gateway/confine"
	"mcp-gateway/gateway"
)

// version is that of the build; releases set it with -ldflags -X.
var version = "dev"

func main() {
	if confine.Is(os.Args) { // started by ourselves, on the way to become a child
		os.Exit(confine.Main(os.Args))
	}
	os.Exit(execute(os.Args[1:]))
}

// shield keeps what the gateway knows from its children, before there are any.
func shield(log *zap.Logger) {
	if err := confine.Shield(); err != nil {
		log.Warn("the gateway's memory and environment are not shielded from processes of its user", zap.Error(err))
	}
}

func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	f := &flags{}
	root := newRoot(f)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var coded *cli.Error
	var problems gateway.Problems
	switch {
	case err == nil:
		return cli.OK
	case errors.As(err, &coded):
		if coded.Text != "" {
			fmt.Fprintln(os.Stderr, coded.Text)
		}
		return coded.Code
	case errors.As(err, &problems):
		fmt.Fprintln(os.Stderr, err)
		return cli.Usage
	case !f.begun: // cobra's own words about the arguments
		fmt.Fprintln(os.Stderr, "error:", err)
		return cli.Usage
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		return cli.Failed
	}
}

// flags are those that all commands share.
type flags struct {
	config    string
	logLevel  string
	logFormat string
	loud      loudness
	begun     bool // arguments and flags are as the command wants them
}

func newRoot(f *flags) *cobra.Command {
	root := &cobra.Command{
		Use:           "mcp-gateway",
		Short:         "A policy-enforcing gateway between MCP hosts and third-party MCP servers",
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateRequiredFlags(); err != nil {
				return err
			}
			f.begun, f.loud.flag = true, cmd.Flags().Changed("log-level")
			return nil
		},
	}
	root.PersistentFlags().StringVarP(&f.config, "config", "c", "upstreams.yaml", "the configuration `file`")
	root.PersistentFlags().StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error; where absent, log.level of the configuration")
	root.PersistentFlags().StringVar(&f.logFormat, "log-format", "console", "console or json")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &cli.Error{Code: cli.Usage, Text: "error: " + err.Error()}
	})
	root.AddCommand(serveCommand(f), stdioCommand(f), validateCommand(f), versionCommand(), configCommand(), keysCommand(f), toolsCommand(f),
		upstreamsCommand(f), desk(f).Hosts(), author.Command(&f.config, buildVersion()), auditor.Command(&f.config), demo.Command(buildVersion()), demo.ServerCommand(), demo.GatewayCommand(buildVersion()))
	root.AddCommand(operator.Commands(&f.config, buildVersion())...)
	return root
}

// buildVersion is the release, or else the commit that the toolchain noted.
func buildVersion() string {
	if version != "dev" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "dev+" + s.Value[:12]
			}
		}
	}
	return version
}

// logger writes to standard error: standard output is for data.
func (f *flags) logger() (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(f.logLevel)
	if err != nil {
		return nil, &cli.Error{Code: cli.Usage, Text: "error: --log-level: " + err.Error()}
	}
	c := zap.NewProductionConfig()
	f.loud.level = zap.NewAtomicLevelAt(level)
	c.Level = f.loud.level
	c.OutputPaths, c.ErrorOutputPaths = []string{"stderr"}, []string{"stderr"}
	c.EncoderConfig.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	c.DisableStacktrace = true
	c.Sampling = nil
	switch f.logFormat {
	case "json":
	case "console":
		c.Encoding, c.DisableCaller = "console", true
		c.EncoderConfig.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
	default:
		return nil, &cli.Error{Code: cli.Usage, Text: "error: --log-format: want console or json"}
	}
	return c.Build()
}

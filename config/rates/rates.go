package rates

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcp-gateway/config/form"
)

// Rate is so much in a time; the zero Rate is no limit.
type Rate struct {
	N   int
	Per time.Duration
}

// Rates bound what may be asked of the gateway, each where it is not zero.
type Rates struct {
	Principal, Tool, Upstream, Destructive, ResultBytes Rate

	Classes map[string]Rate // that policy puts calls under, by name
}

var (
	ratePattern  = regexp.MustCompile(`^[1-9][0-9]{0,8}/[smhd]$`)
	classPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	flowPattern  = regexp.MustCompile(`^[1-9][0-9]{0,8}(KiB|MiB|GiB)?/[smhd]$`)
)

// Form describes how often, and how much.
func (v *Rates) Form() form.Value {
	classes := form.Keys{Pattern: classPattern, Code: "bad_class", Want: "rate class: lower-case letters, digits and underscores"}
	return form.Object{Fields: []form.Field{
		{Key: "principal", Doc: "Requests of one principal, judged before the body is read, such as 600/m.", Value: rate(&v.Principal, ratePattern)},
		{Key: "tool", Doc: "Calls of one principal to one tool, prompt or resource.", Value: rate(&v.Tool, ratePattern)},
		{Key: "upstream", Doc: "Calls to one upstream, whoever makes them.", Value: rate(&v.Upstream, ratePattern)},
		{Key: "destructive", Doc: "Destructive calls of one principal, such as 10/h.", Value: rate(&v.Destructive, ratePattern)},
		{Key: "result_bytes", Doc: "Of results to one principal, such as 64MiB/h; the last one may go over.", Value: rate(&v.ResultBytes, flowPattern)},
		{Key: "classes", Doc: "Calls of one principal that policy puts under a class (the obligation rate_class), by its name.", Value: form.Map(&v.Classes, classes, func(_ form.Entry, r *Rate) form.Value { return rate(r, ratePattern) })},
	}}
}

// rate describes so much in a second, minute, hour or day.
func rate(dst *Rate, pattern *regexp.Regexp) form.Value {
	return form.Checked(dst, "a rate such as 10/m", pattern, func(s string) (Rate, *form.Fault) {
		much, unit, _ := strings.Cut(s, "/")
		per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
		shift := 0
		for i, name := range [...]string{"KiB", "MiB", "GiB"} {
			if rest, ok := strings.CutSuffix(much, name); ok {
				much, shift = rest, 10*(i+1)
			}
		}
		n, err := strconv.Atoi(much)
		if !pattern.MatchString(s) || err != nil || n > 1<<40>>shift {
			return Rate{}, &form.Fault{Code: "bad_rate", Message: fmt.Sprintf("`%.20s` is no rate; write a number and /s, /m, /h or /d, such as 10/m", s)}
		}
		return Rate{N: n << shift, Per: per}, nil
	})
}

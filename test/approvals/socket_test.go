package approvals

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-gateway/admin"
	"mcp-gateway/admin/client"
	"mcp-gateway/admin/local"
	"mcp-gateway/approval"
	"mcp-gateway/audit"
	"mcp-gateway/cmd/mcp-gateway/cli"
	"mcp-gateway/cmd/mcp-gateway/operator/approvals"
	"mcp-gateway/test/stage"
)

// asked finds the gateway on its socket, as soon as it is there.
func asked(t *testing.T, s *stage.Stage, key string) *client.Client {
	t.Helper()
	var c *client.Client
	stage.Await(t, "the socket", func() bool { c = client.Find(s.Path("var"), key); return c != nil })
	return c
}

func TestTheSocketAsksForItsToken(t *testing.T) {
	_, s := open(t, stage.Options{Settings: "admin: {local: {subject: owner, roles: [approver], groups: [treasury]}}\n", Staff: []stage.Staff{}})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__wipe", order))
	c := asked(t, s, "")
	g := local.Find(s.Path("var"))
	for _, name := range []string{"admin.sock", "admin.token"} {
		info, err := os.Stat(filepath.Join(s.Path("var"), local.Folder, g.Replica, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, err, info)
		}
	}
	// A child of the gateway may connect: it has no token.
	for _, key := range []string{"mcpgw_guess", s.Host("alice").Key()} {
		if _, err := asked(t, s, key).Decide(t.Context(), id, approval.Approved, admin.Verdict{Reason: "x"}); !coded(err, "unauthenticated") {
			t.Errorf("%s is heard: %v", key, err)
		}
	}
	k, err := c.Decide(t.Context(), id, approval.Approved, admin.Verdict{Reason: "agreed"})
	if err != nil || k.Decision.By != "owner" || k.Decision.Via != "cli" || strings.Join(k.Decision.Groups, "") != "treasury" {
		t.Errorf("%v %+v", err, k.Decision)
	}
	if rows := events(t, s, audit.ApprovalGranted); len(rows) != 1 || rows[0].Client != "local" || rows[0].Label != "cli" {
		t.Errorf("%+v", rows)
	}
}

// coded says whether an error ends with a code.
func coded(err error, code string) bool {
	var told *client.Refused
	var worded *cli.Error
	return errors.As(err, &told) && told.Code == code || errors.As(err, &worded) && strings.HasSuffix(worded.Text, "("+code+")")
}

// run is one command line of approvals.
func run(t *testing.T, s *stage.Stage, args ...string) (string, error) {
	t.Helper()
	path := s.Path("upstreams.yaml")
	cmd := approvals.Command(&path)
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestTheCommands(t *testing.T) {
	up, s := open(t, stage.Options{})
	alice := s.Host("alice")
	id := ticketOf(t, alice.Call(t, "bank__wipe", order))
	asked(t, s, "")
	t.Setenv("ALICE", s.StaffKey("alice"))
	s.Write(t, "carol.key", s.StaffKey("carol")+"\n")
	carol := "file:" + s.Path("carol.key")
	for _, tc := range []struct {
		name   string
		args   []string
		says   string
		failed bool
	}{
		{"list", []string{"list"}, id, false},
		{"show", []string{"show", id, "--key", carol}, "effect      destructive, can't be taken back", false},
		{"no reason", []string{"approve", id}, "", true},
		{"a key on the command line", []string{"approve", id, "--reason", "x", "--key", s.StaffKey("carol")}, "", true},
		{"a group by word", []string{"approve", id, "--reason", "x", "--group", "treasury"}, "", true},
		{"the caller", []string{"approve", id, "--reason", "x", "--key", "env:ALICE"}, "", true},
		{"another person", []string{"approve", id, "--reason", "x", "--key", carol}, id + " approved", false},
		{"once more", []string{"approve", id, "--reason", "x", "--key", carol}, "", true},
		{"taken back", []string{"revoke", id, "--reason", "x", "--key", carol}, id + " cancelled", false},
		{"all", []string{"list", "--all"}, "cancelled", false},
	} {
		out, err := run(t, s, tc.args...)
		if (err != nil) != tc.failed || !strings.Contains(out, tc.says) {
			t.Errorf("%s: %v\n%s", tc.name, err, out)
		}
	}
	if r := naming(alice.Calling("bank__wipe", order), id).Send(t); r.Code() != "approval_invalid" || up.ran.Load() != 0 {
		t.Errorf("a revoked approval: %s", r.Body)
	}
}

// Where no gateway runs, the owner of the state answers in the name that the
// configuration gives them, and in no group but those.
func TestTheCommandsWithoutAGateway(t *testing.T) {
	policy := asking(t, `{"type": "approval", "groups": ["treasury"]}`)
	_, s := open(t, stage.Options{Settings: policy, Staff: []stage.Staff{}})
	id := ticketOf(t, s.Host("alice").Call(t, "bank__look", `{}`))
	asked(t, s, "")
	s.Stop()
	stage.Await(t, "the end of the socket", func() bool { return client.Find(s.Path("var"), "") == nil })
	if _, err := run(t, s, "approve", id, "--reason", "x"); !coded(err, "approver_group_missing") {
		t.Errorf("%v", err)
	}
	s.Write(t, "upstreams.yaml", strings.Replace(text(t, s, "upstreams.yaml"), policy, policy+"admin: {local: {subject: owner, groups: [treasury]}}\n", 1))
	if out, err := run(t, s, "approve", id, "--reason", "x"); err != nil || !strings.Contains(out, "approved") {
		t.Errorf("%v %s", err, out)
	}
	if out, err := run(t, s, "show", id); err != nil || !strings.Contains(out, "decided by  owner (cli) x") {
		t.Errorf("%v %s", err, out)
	}
}

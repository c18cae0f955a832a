package staff_test

import (
	"slices"
	"testing"
	"time"

	"mcp-gateway/auth"
	"mcp-gateway/auth/staff"
)

func TestWhatEachRoleMayDo(t *testing.T) {
	all := []staff.Right{staff.See, staff.Read, staff.Answer, staff.Revoke, staff.Refresh}
	for role, want := range map[staff.Role][]staff.Right{
		staff.Viewer:   {staff.See},
		staff.Reviewer: {staff.See, staff.Refresh},
		staff.Auditor:  {staff.See, staff.Read},
		staff.Operator: {staff.See, staff.Revoke, staff.Refresh},
		staff.Approver: {staff.See, staff.Read, staff.Answer, staff.Revoke},
		"owner":        nil, // no role of ours
	} {
		m := &staff.Member{Roles: []staff.Role{role}}
		for _, r := range append(all, "anything") {
			if m.Has(r) != slices.Contains(want, r) {
				t.Errorf("%s, %s: %v", role, r, m.Has(r))
			}
		}
	}
	both := &staff.Member{Roles: []staff.Role{staff.Auditor, staff.Operator}}
	if !both.Has(staff.Read) || !both.Has(staff.Revoke) || both.Has(staff.Answer) {
		t.Error("several roles are what any of them is")
	}
}

func TestRoster(t *testing.T) {
	key, sum := auth.NewKey()
	r, err := staff.New([]staff.Key{{SHA256: sum, Member: staff.Member{ID: "carol"}}})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Member(staff.DigestOf(key)); m == nil || m.ID != "carol" {
		t.Errorf("%+v", m)
	}
	for _, wrong := range []string{"", sum, key + " ", key[1:]} {
		if m := r.Member(staff.DigestOf(wrong)); m != nil {
			t.Errorf("%q is %s's", wrong, m.ID)
		}
	}
	if _, err := staff.New([]staff.Key{{SHA256: "short"}}); err == nil {
		t.Error("a digest that is none is taken")
	}
}

func TestTries(t *testing.T) {
	var tries staff.Tries
	now := time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)
	for n := range 5 {
		if wait := tries.Wait("a", now); wait != 0 {
			t.Fatalf("the try after %d wrong ones waits %s", n, wait)
		}
		tries.Wrong("a", now)
	}
	if tries.Wait("a", now.Add(20*time.Second)) != 40*time.Second || tries.Wait("b", now) != 0 {
		t.Error("one source waits, another does not")
	}
	if tries.Wait("a", now.Add(time.Minute)) != 0 {
		t.Error("it waits for ever")
	}
	for range 50 {
		tries.Wrong(string(rune('A'+now.Second())), now.Add(time.Minute))
		now = now.Add(time.Millisecond)
	}
	if tries.Wait("another", now.Add(time.Minute)) == 0 {
		t.Error("all together are not bounded")
	}
}

package staff

import (
	"crypto/sha256"
	"slices"

	"mcp-gateway/auth"
)

// Role is what somebody is here for.
type Role string

// The roles. Who has several may do what any of them may.
const (
	Viewer   Role = "viewer"   // sees how the gateway stands and what waits, without arguments
	Reviewer Role = "reviewer" // reviews tools, and has upstreams asked for them
	Approver Role = "approver" // reads calls that wait, and answers them
	Auditor  Role = "auditor"  // reads calls that wait and what is on record, and answers nothing
	Operator Role = "operator" // runs the gateway; revokes what was approved
	Examiner Role = "examiner" // reads kept arguments of calls that are over
)

// Roles lists every role.
func Roles() []Role { return []Role{Viewer, Reviewer, Approver, Auditor, Operator, Examiner} }

// Right is something that a role may do.
type Right string

// The rights.
const (
	See     Right = "see"     // status, upstreams, tools, what waits
	Read    Right = "read"    // the arguments of a call that waits
	Audit   Right = "audit"   // the record of what happened
	Detail  Right = "detail"  // kept arguments of calls on record
	Answer  Right = "answer"  // approve and deny
	Revoke  Right = "revoke"  // take back an approval, a question or a remembered consent
	Refresh Right = "refresh" // let an upstream be asked for its list now
)

// rights says which roles hold a right.
func (r Right) roles() []Role {
	switch r {
	case See:
		return Roles()
	case Read:
		return []Role{Approver, Auditor}
	case Audit:
		return []Role{Auditor}
	case Detail:
		return []Role{Examiner}
	case Answer:
		return []Role{Approver}
	case Revoke:
		return []Role{Approver, Operator}
	case Refresh:
		return []Role{Reviewer, Operator}
	}
	return nil
}

// Member is one of those who run the gateway.
type Member struct {
	ID      string // of the key
	Subject string // who it is; compared with that of a caller
	Tenant  string // whose calls they see; "" = those of every tenant
	Groups  []string
	Roles   []Role
}

// Has says whether the member may do that.
func (m *Member) Has(r Right) bool {
	return slices.ContainsFunc(r.roles(), func(role Role) bool { return slices.Contains(m.Roles, role) })
}

// Key is one key as configuration holds it: its digest, never the key.
type Key struct {
	SHA256 string // 64 hex digits over the whole key
	Member Member
}

// Digest names a key without giving it away.
type Digest [sha256.Size]byte

// DigestOf is the digest of a key as it was presented.
func DigestOf(key string) Digest { return sha256.Sum256([]byte(key)) }

// Roster says whose key a key is. It is not changed after New.
type Roster struct{ members map[Digest]*Member }

// New returns the roster of those keys; auth.ErrKeyDigest.
func New(keys []Key) (*Roster, error) {
	r := &Roster{members: make(map[Digest]*Member, len(keys))}
	for i := range keys {
		sum, err := auth.ParseDigest(keys[i].SHA256)
		if err != nil {
			return nil, err
		}
		r.members[sum] = &keys[i].Member
	}
	return r, nil
}

// Member returns whose key has that digest; nil for nobody's. What is looked up is a
// digest, so that the time it takes tells nothing of a key.
func (r *Roster) Member(d Digest) *Member { return r.members[d] }

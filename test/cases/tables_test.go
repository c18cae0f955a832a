package cases

import (
	"maps"
	"testing"
)

// proofs are all proofs, by the case that each is of.
func proofs() map[string]proof {
	all := map[string]proof{}
	for _, group := range []map[string]proof{
		definitions(), schemas(), drifts(), results(), contents(), answers(), requests(), headerCases(), transports(), configurations(),
		fidelity(), lists(), lives(), suspicions(), consents(), identities(),
	} {
		maps.Copy(all, group)
	}
	return all
}

// owed names, by case, the part of the gateway that still owes the mechanism.
func owed(t *testing.T) map[string]string {
	t.Helper()
	owed := map[string]string{}
	for part, ids := range map[string][]string{} {
		for _, id := range ids {
			if owed[id] != "" {
				t.Errorf("%s is owed twice", id)
			}
			owed[id] = part
		}
	}
	return owed
}

// alone are the cases whose proofs count what the whole process has, and so run while
// no other does.
func alone() map[string]bool {
	return map[string]bool{"ATK-053": true, "BUG-12": true, "BUG-26": true}
}

// outOfPlace are the cases that do not apply to this gateway, and why.
func outOfPlace() map[string]string {
	return map[string]string{
		"ATK-104": "the gateway starts no authorisation of its own at an upstream",
	}
}

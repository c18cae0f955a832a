package exchange

import (
	"bytes"

	"mcp-gateway/upstream/wire"
)

// salvage returns the ids that a line may carry which is no strict message: the
// number after its last `"id":` and after its first, for servers write the
// member last or near the front. The text may lie; all that it can do is to
// fail a request of the same upstream, which that could do anyway.
func salvage(line []byte) []int64 {
	key := []byte(`"id":`)
	var ids []int64
	for _, at := range [...]int{bytes.LastIndex(line, key), bytes.Index(line, key)} {
		if at < 0 {
			continue
		}
		rest := bytes.TrimLeft(line[at+len(key):], " ")
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if id, ok := wire.ID(rest[:n]); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

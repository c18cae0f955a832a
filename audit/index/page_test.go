package index

import (
	"errors"
	"slices"
	"testing"

	"mcp-gateway/audit"
)

// Pages joined are the whole answer, in either order, also while rows come.
func TestPages(t *testing.T) {
	w := newWorld(t)
	j := w.journal()
	for range 25 {
		w.write(j, refuse(alice, "up__a"))
		w.write(j, refuse(bob, "up__b"))
	}
	x := w.index()
	for _, order := range []audit.Order{audit.NewestFirst, audit.OldestFirst} {
		f := audit.Filter{Principal: alice, Order: order, Limit: 1000}
		whole, err := x.Query(t.Context(), f)
		if err != nil || len(whole) < 25 || len(whole) > 30 {
			t.Fatal(len(whole), err)
		}
		var got []audit.ID
		f.Limit = 10
		for cursor, pages := "", 1; ; pages++ {
			rows, next, err := x.Page(t.Context(), f, cursor)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				got = append(got, r.Event)
			}
			if cursor = next; cursor == "" {
				if pages != 3 {
					t.Errorf("%s: %d pages", order, pages)
				}
				break
			}
			if order == audit.NewestFirst {
				w.write(j, refuse(alice, "up__a")) // newer than all of them
			}
		}
		want := make([]audit.ID, 0, len(whole))
		for _, r := range whole {
			want = append(want, r.Event)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: pages give %d rows, want %d", order, len(got), len(want))
		}
	}
	for _, cursor := range []string{"x", "1", "1.", ".1", "01.1", "1.2.3", "1.-0", "99999999999999999999.1"} {
		if _, _, err := x.Page(t.Context(), audit.Filter{}, cursor); !errors.Is(err, ErrCursor) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

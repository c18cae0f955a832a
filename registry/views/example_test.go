package views_test

import (
	"fmt"

	"mcp-gateway/registry/views"
)

func Example() {
	cache, err := views.NewCache(views.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	alice, bob := views.ContextKey{1}, views.ContextKey{2}
	cache.Put(alice, views.New(7, "policy-1", []bool{true, false, true}))

	view, ok := cache.Get(alice, 7, "policy-1")
	fmt.Println(ok, view.Has(0), view.Has(1), view.Count())
	_, ok = cache.Get(bob, 7, "policy-1")
	fmt.Println(ok)
	_, ok = cache.Get(alice, 7, "policy-2")
	fmt.Println(ok)
	// Output:
	// true true false 2
	// false
	// false
}

package cursor

import (
	"slices"

	"mcp-gateway/gateway"
	"mcp-gateway/keyring"
)

// Place is what a cursor is good for: one list of one endpoint, as one principal
// sees it.
type Place struct {
	Kind      gateway.Kind
	Scope     string // the endpoint's upstream; "" = all
	Principal string
}

// Seal returns the cursor of a page that begins with the item of that name.
func Seal(keys *keyring.Ring, p Place, name string) string {
	return keys.Seal(keyring.State, []byte(name), p.context())
}

// Open returns the name of the item that the page begins with. Any other text than
// what Seal returned for this place is a *gateway.Error of CodeInvalidParams.
func Open(keys *keyring.Ring, p Place, cursor string) (string, error) {
	name, err := keys.Open(keyring.State, cursor, p.context())
	if err != nil {
		return "", gateway.Because(gateway.CodeInvalidParams, err)
	}
	return string(name), nil
}

func (p Place) context() []byte {
	return slices.Concat([]byte("list|"), []byte(p.Kind), []byte("|"), []byte(p.Scope), []byte("|"), []byte(p.Principal))
}

package reach

import (
	"net/netip"

	"mcp-gateway/config/form"
	"mcp-gateway/egress"
)

// Networks are ranges of addresses to which names of configured URLs may lead.
type Networks []netip.Prefix

// Form describes Networks.
func (n *Networks) Form() form.Value {
	return form.List((*[]netip.Prefix)(n), func(p *netip.Prefix) form.Value {
		return form.Parsed(p, "a range such as 10.20.0.0/16", func(s string) (netip.Prefix, *form.Fault) {
			out, err := netip.ParsePrefix(s)
			switch {
			case err != nil || out != out.Masked():
				return out, &form.Fault{Code: "bad_network", Message: "wants a range of addresses such as 10.20.0.0/16, without bits beyond its length"}
			case egress.Grantable(out) != nil:
				return out, &form.Fault{Code: "network_refused", Message: egress.Grantable(out).Error()}
			}
			return out, nil
		})
	})
}

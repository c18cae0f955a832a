package house

// exceptions names what may break a rule, as "rule path" or "rule path:name",
// with the reason.
func exceptions() map[string]string {
	return map[string]string{}
}

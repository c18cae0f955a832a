package scene

// The hidden commands by which the demo starts this program again, so that nothing
// else is needed: the example server, and a gateway to be killed.
const (
	ServerName  = "example-incident-server"
	GatewayName = "example-incident-gateway"
)

package secret_test

import (
	"fmt"

	"mcp-gateway/redact/secret"
)

func ExampleScanner_Mask() {
	out, _ := secret.New().Mask(nil, []byte("postgres://app:S3cretPass99@db/x"), func(rule int) {
		fmt.Println(secret.Class(rule))
	})
	fmt.Println(string(out))
	// Output:
	// url_password
	// postgres://app:[redacted:url_password]@db/x
}

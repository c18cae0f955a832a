package secret_test

import (
	"fmt"

	"mcp-gateway/redact/secret"
)

func ExampleScanner_Mask() {
	out, _ := secret.New(secret.Options{}).Mask(nil, []byte("postgres://app:S3cretPass99@db/x"), func(class string) {
		fmt.Println(class)
	})
	fmt.Println(string(out))
	// Output:
	// url_password
	// postgres://app:[redacted:url_password]@db/x
}

// Prints the OpenAPI definitions that kustomize merges by, as JSON.
package main

import (
	"encoding/json"
	"os"

	"sigs.k8s.io/kustomize/kyaml/openapi"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(openapi.Schema().Definitions); err != nil {
		panic(err)
	}
}

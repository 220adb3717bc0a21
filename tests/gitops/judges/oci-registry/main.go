// oci-registry is a registry in memory on loopback. Its first line of output is its address.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		fmt.Println(listener.Addr())
		err = http.Serve(listener, registry.New())
	}
	fmt.Fprintln(os.Stderr, "oci-registry:", err)
	os.Exit(1)
}

// redis-server is the cache of Argo CD, in memory on loopback: redis-server --port PORT
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	port := flag.String("port", "6379", "the port on loopback")
	bind := flag.String("bind", "127.0.0.1", "the address")
	flag.Parse()
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(*bind + ":" + *port); err != nil {
		fmt.Fprintln(os.Stderr, "redis-server:", err)
		os.Exit(1)
	}
	for range time.Tick(time.Second) {
		server.FastForward(time.Second) // its clock: without it, nothing expires
	}
}

// Recorder: what upstream's own code makes of an input. See README.md for the modes and their lines.
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A mode turns one JSON line of standard input into one JSON line of standard output.
type mode func() (answer func(line []byte) (any, error), err error)

var repeats = flag.Int("repeats", 10, "how often each TrainJob is expanded to find what upstream leaves to chance")

var modes = map[string]mode{
	"record":      recordMode,
	"quantity":    quantityMode,
	"podrequests": podRequestsMode,
}

func main() {
	flag.Usage = usage
	flag.Parse()
	klog.SetLogger(logr.Discard()) // what upstream thinks worth a log line is no part of an answer
	log.SetLogger(logr.Discard())
	if err := run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(2)
	}
}

func run(name string) error {
	switch name {
	case "types":
		return printTypes(os.Stdout)
	case "crds":
		return printCRDPaths(os.Stdout)
	}
	start, known := modes[name]
	if !known {
		usage()
		return fmt.Errorf("unknown mode %q", name)
	}
	answer, err := start()
	if err != nil {
		return err
	}
	return eachLine(os.Stdin, os.Stdout, answer)
}

func usage() {
	names := []string{"types", "crds"}
	for name := range modes {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: recorder [-repeats N] %s\n", strings.Join(names, "|"))
}

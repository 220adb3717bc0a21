// Late: kube-apiserver's own validation of the Jobs that the JobSet controller would create.
// JobSet admission does not look there, so what is refused here is refused after the JobSet was accepted.
// Standard input: JSON lines {"name", "jobset"}; standard output: {"name", "late": [{"job", "field", "message"}]}.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/kubernetes/pkg/capabilities"
)

type question struct {
	Name   string `json:"name"`
	JobSet jobSet `json:"jobset"`
}

type answer struct {
	Name string    `json:"name"`
	Late []refusal `json:"late"`
}

func main() {
	capabilities.Setup(true, 0) // privileged containers are a cluster's own decision
	if err := run(os.Stdin, json.NewEncoder(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "late:", err)
		os.Exit(2)
	}
}

func run(in io.Reader, out *json.Encoder) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		line, readErr := reader.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return readErr
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var asked question
			if err := json.Unmarshal(line, &asked); err != nil {
				return err
			}
			if err := out.Encode(answer{asked.Name, asked.JobSet.refusals()}); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
	}
}

// flux-judge computes the status that a Kustomization with `wait: true` sees, with Flux's own code:
//
//	flux-judge -exprs KUSTOMIZATION OBJECTS...     a line {"status", "message"} for each object
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	numbers "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// read calls use for every document of a file. Integers stay integers, which kstatus requires.
func read(path string, use func(map[string]any) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		var text json.RawMessage
		if err := decoder.Decode(&text); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		document := map[string]any{}
		if err := numbers.Unmarshal(text, &document); err != nil {
			return err
		}
		if err := use(document); err != nil {
			return err
		}
	}
}

func checksOf(path string) (checks []kustomize.CustomHealthCheck, err error) {
	err = read(path, func(document map[string]any) error {
		found, _, err := unstructured.NestedSlice(document, "spec", "healthCheckExprs")
		if err != nil {
			return err
		}
		text, err := json.Marshal(found)
		if err != nil {
			return err
		}
		var some []kustomize.CustomHealthCheck
		err = json.Unmarshal(text, &some)
		checks = append(checks, some...)
		return err
	})
	return checks, err
}

func run() error {
	kustomization := flag.String("exprs", "", "the Kustomization with healthCheckExprs")
	flag.Parse()
	checks, err := checksOf(*kustomization)
	if err != nil {
		return err
	}
	newReader, err := cel.NewStatusReader(checks)
	if err != nil {
		return err
	}
	reader := newReader(nil)
	for _, path := range flag.Args() {
		err := read(path, func(document map[string]any) error {
			object, row := &unstructured.Unstructured{Object: document}, map[string]string{}
			if reader.Supports(object.GroupVersionKind().GroupKind()) {
				found, err := reader.ReadStatusForObject(context.Background(), nil, object)
				if err != nil {
					return err
				}
				row["status"], row["message"] = found.Status.String(), found.Message
				if found.Error != nil {
					row["message"] = found.Error.Error()
				}
			} else {
				found, err := status.Compute(object)
				if err != nil {
					return err
				}
				row["status"], row["message"] = found.Status.String(), found.Message
			}
			return json.NewEncoder(os.Stdout).Encode(row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "flux-judge:", err)
		os.Exit(2)
	}
}

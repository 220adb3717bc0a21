// Command gotypes says what the Go structs behind the manifests do to a value.
//
//	gotypes facts               prints the facts in kubectl_trainjob/api/data/go_types.json
//	gotypes MODE <questions     reads one JSON value a line and prints one JSON answer a line
//
// Modes: applied (a JobSetSpec), marshalled ({"type", "value"}), numbers (anything); what is refused answers {"error"}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetac "sigs.k8s.io/jobset/client-go/applyconfiguration/jobset/v1alpha2"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
)

var modes = map[string]func([]byte) (any, error){"applied": applied, "marshalled": marshalled, "numbers": numbers}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "facts" {
		printFacts()
		return
	}
	if len(os.Args) != 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: gotypes facts|applied|marshalled|numbers")
		os.Exit(2)
	}
	if err := answer(modes[os.Args[1]]); err != nil {
		fmt.Fprintln(os.Stderr, "gotypes:", err)
		os.Exit(2)
	}
}

func answer(mode func([]byte) (any, error)) error {
	questions := bufio.NewScanner(os.Stdin)
	questions.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for questions.Scan() {
		value, err := mode(questions.Bytes())
		if err != nil {
			value = map[string]string{"error": err.Error()}
		}
		if err := answers.Encode(value); err != nil {
			return err
		}
	}
	return questions.Err()
}

// applied takes a JobSetSpec the way that Trainer's controller takes it: decoded, made unstructured, and read and
// written once more as JobSet's apply configuration.
func applied(line []byte) (any, error) {
	var spec jobset.JobSetSpec
	if err := decode(line, &spec); err != nil {
		return nil, err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&jobset.JobSet{Spec: spec})
	if err != nil {
		return nil, err
	}
	field, _, err := unstructured.NestedFieldCopy(object, "spec")
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(field)
	if err != nil {
		return nil, err
	}
	var configuration *jobsetac.JobSetSpecApplyConfiguration
	err = json.Unmarshal(raw, &configuration)
	return configuration, err
}

var structs = map[string]func() any{
	"jobset/v1alpha2.JobSetSpec":    func() any { return &jobset.JobSetSpec{} },
	"trainer/v1alpha1.TrainJobSpec": func() any { return &trainer.TrainJobSpec{} },
	"core/v1.PersistentVolumeClaim": func() any { return &corev1.PersistentVolumeClaim{} },
	"core/v1.PodSpec":               func() any { return &corev1.PodSpec{} },
}

// marshalled is the value once encoding/json has written what it was decoded into.
func marshalled(line []byte) (any, error) {
	var question struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(line, &question); err != nil {
		return nil, err
	}
	create, known := structs[question.Type]
	if !known {
		return nil, fmt.Errorf("no struct %s here", question.Type)
	}
	object := create()
	return object, decode(question.Value, object)
}

func decode(line []byte, into any) error {
	var content map[string]any
	if err := k8sjson.Unmarshal(line, &content); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(content, into)
}

// numbers answers with the text of the line after the API server has stored it.
func numbers(line []byte) (any, error) {
	var stored any
	if err := k8sjson.Unmarshal(line, &stored); err != nil {
		return nil, err
	}
	text, err := json.Marshal(stored)
	return string(text), err
}

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
)

const (
	defaultNamespace = "default"
	webhookLabel     = "trainer.kubeflow.org/webhook-validation"
)

// job is a TrainJob after the API server's part of admission.
type job struct {
	typed        *trainer.TrainJob
	unstructured *unstructured.Unstructured
	findings     []Finding
}

// input is a stream of documents, admitted.
type input struct {
	jobs     []job
	runtimes []client.Object
	findings []Finding // of the runtimes
}

func (s crdSchemas) read(stream string) (*input, error) {
	documents, err := split(stream)
	if err != nil {
		return nil, err
	}
	in := &input{}
	for _, document := range documents {
		found := s.admit(document)
		switch document.GetKind() {
		case trainer.TrainJobKind:
			err = in.addJob(document, found)
		case trainer.TrainingRuntimeKind:
			err = in.addRuntime(document, found, &trainer.TrainingRuntime{})
		case trainer.ClusterTrainingRuntimeKind:
			err = in.addRuntime(document, found, &trainer.ClusterTrainingRuntime{})
		}
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *input) addJob(document *unstructured.Unstructured, found []Finding) error {
	setNamespace(document)
	typed := &trainer.TrainJob{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(document.Object, typed); err != nil {
		return err
	}
	typed.UID = "uid"
	in.jobs = append(in.jobs, job{typed, document, found})
	return nil
}

func (in *input) addRuntime(document *unstructured.Unstructured, found []Finding, typed client.Object) error {
	if document.GetKind() == trainer.TrainingRuntimeKind {
		setNamespace(document)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(document.Object, typed); err != nil {
		return err
	}
	in.findings = append(append(in.findings, found...), validateRuntime(typed)...)
	in.runtimes = append(in.runtimes, typed)
	return nil
}

// validateRuntime is the runtimes' validating webhook. Since 2.3 its configuration excludes a label (objectSelector in
// manifests/base/webhook/patch_validating.yaml).
func validateRuntime(object client.Object) []Finding {
	if isSince23() && object.GetLabels()[webhookLabel] == "disabled" {
		return nil
	}
	const stage = "runtime-webhook"
	return recovered(stage, object.GetName(), func() []Finding {
		return fromError(stage, object.GetName(), validateRuntimeCreate(context.Background(), object))
	})
}

func setNamespace(object *unstructured.Unstructured) {
	if object.GetNamespace() == "" {
		object.SetNamespace(defaultNamespace)
	}
}

func split(stream string) ([]*unstructured.Unstructured, error) {
	var documents []*unstructured.Unstructured
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(stream)))
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		raw, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		if string(raw) == "null" {
			continue
		}
		document := &unstructured.Unstructured{}
		if err := document.UnmarshalJSON(raw); err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
}

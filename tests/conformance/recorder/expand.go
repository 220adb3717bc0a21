package main

import (
	"context"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime"
	testingutil "github.com/kubeflow/trainer/v2/pkg/util/testing"
)

// priorityClasses exist in the recorded cluster; Volcano's plugin asks for the one that pods name.
var priorityClasses = []string{"high", "batch-low"}

const snapshotSuffix = "-runtime-snapshot"

// runtimeFor builds Trainer's runtime over a fake client that holds the stream's runtimes, fresh each time:
// an expansion leaves a snapshot of the runtime behind.
func runtimeFor(ctx context.Context, runtimes []client.Object, job *trainer.TrainJob) (runtime.Runtime, error) {
	builder := testingutil.NewClientBuilder()
	indexer := testingutil.AsIndex(builder)
	objects := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: job.Namespace}}}
	for _, name := range priorityClasses {
		objects = append(objects, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: 10})
	}
	for _, object := range runtimes {
		objects = append(objects, object.DeepCopyObject().(client.Object))
	}
	registered, err := newRuntimes(ctx, builder.WithObjects(objects...).Build(), indexer)
	if err != nil {
		return nil, err
	}
	key := runtime.RuntimeRefToRuntimeRegistryKey(job.Spec.RuntimeRef)
	found, known := registered[key]
	if !known {
		return nil, unsupportedRuntime(key)
	}
	return found, nil
}

type unsupportedRuntime string

func (u unsupportedRuntime) Error() string { return "unsupported runtime: " + string(u) }

// validateJob is the TrainJob's validating webhook.
func validateJob(ctx context.Context, runtimes []client.Object, old, job *trainer.TrainJob) ([]Finding, []string) {
	id := trainer.TrainJobKind + "/" + job.Name
	var warnings []string
	found := recovered("webhook-panic", id, func() []Finding {
		target, err := runtimeFor(ctx, runtimes, job)
		if err != nil {
			refused := newFinding("webhook", id, err.Error())
			refused.Field = "spec.runtimeRef"
			return []Finding{refused}
		}
		warned, errs := target.ValidateObjects(ctx, old, job.DeepCopy())
		warnings = warned
		return fromFieldErrors("webhook", id, errs)
	})
	return found, warnings
}

// expand gives the objects that Trainer's controller applies for the job; a panic is an error that begins with "panic:".
func expand(ctx context.Context, runtimes []client.Object, job *trainer.TrainJob) (objects []map[string]any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			objects, err = nil, fmt.Errorf("panic: %v", reason)
		}
	}()
	target, err := runtimeFor(ctx, runtimes, job)
	if err != nil {
		return nil, err
	}
	built, err := target.NewObjects(ctx, job.DeepCopy())
	if err != nil {
		return nil, err
	}
	for _, one := range built {
		object, err := plain(one)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return arrange(objects), nil
}

// arrange sorts the objects and leaves out what the records do not hold.
func arrange(objects []map[string]any) []map[string]any {
	kept := []map[string]any{}
	for _, object := range objects {
		if !strings.HasSuffix(metaOf(object, "name"), snapshotSuffix) {
			kept = append(kept, tidy(object))
		}
	}
	sort.SliceStable(kept, func(a, b int) bool { return sortKey(kept[a]) < sortKey(kept[b]) })
	return kept
}

func sortKey(object map[string]any) string {
	return fmt.Sprint(object["kind"], "/", metaOf(object, "name"), "/", object["apiVersion"])
}

func metaOf(object map[string]any, field string) string {
	metadata, _ := object["metadata"].(map[string]any)
	value, _ := metadata[field].(string)
	return value
}

// tidy drops owners (no build knows their UIDs), nulls, and generated keys.
func tidy(object map[string]any) map[string]any {
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "ownerReferences")
	}
	if object["kind"] == "Secret" {
		data, _ := object["data"].(map[string]any)
		for key := range data {
			data[key] = "<generated>"
		}
	}
	dropNulls(object)
	return object
}

func dropNulls(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for key, entry := range typed {
			if entry == nil {
				delete(typed, key)
			} else {
				dropNulls(entry)
			}
		}
	case []any:
		for _, entry := range typed {
			dropNulls(entry)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/client"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
)

// variants compares the expansions of one job and notes where they differ: lists that differ only in order, and values.
type variants struct {
	first     []map[string]any
	lists     map[string]bool
	scattered map[string]bool
}

func (v *variants) add(objects []map[string]any) {
	if v.first == nil {
		v.first, v.lists, v.scattered = objects, map[string]bool{}, map[string]bool{}
		return
	}
	if len(objects) != len(v.first) {
		v.scattered["/"] = true
		return
	}
	for i := range objects {
		v.compare(fmt.Sprint("/", i), v.first[i], objects[i])
	}
}

func (v *variants) unordered() []string        { return slices.Sorted(maps.Keys(v.lists)) }
func (v *variants) nondeterministic() []string { return slices.Sorted(maps.Keys(v.scattered)) }

func (v *variants) compare(path string, a, b any) {
	switch left := a.(type) {
	case map[string]any:
		if right, ok := b.(map[string]any); ok {
			v.compareMaps(path, left, right)
			return
		}
	case []any:
		if right, ok := b.([]any); ok && len(left) == len(right) {
			v.compareLists(path, left, right)
			return
		}
	}
	if text(a) != text(b) {
		v.scattered[path] = true
	}
}

func (v *variants) compareMaps(path string, a, b map[string]any) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for key := range keys {
		v.compare(path+"/"+key, a[key], b[key])
	}
}

func (v *variants) compareLists(path string, a, b []any) {
	if text(a) == text(b) {
		return
	}
	if slices.Equal(sortedTexts(a), sortedTexts(b)) {
		v.lists[path] = true
		return
	}
	for i := range a {
		v.compare(path+"/"+strconv.Itoa(i), a[i], b[i])
	}
}

func sortedTexts(list []any) []string {
	var out []string
	for _, entry := range list {
		out = append(out, text(entry))
	}
	sort.Strings(out)
	return out
}

// text is canonical: encoding/json sorts the keys of maps.
func text(value any) string {
	raw, _ := json.Marshal(value)
	return string(raw)
}

// hasRandomEnv tells whether two of Trainer's plugins append env to this job, in the random order of a Go map:
// XGBoost's own and the one that adds the TrainJob's.
func hasRandomEnv(in *input, job *trainer.TrainJob) bool {
	if job.Spec.Trainer == nil || len(job.Spec.Trainer.Env) == 0 {
		return false
	}
	ref := job.Spec.RuntimeRef
	for _, object := range in.runtimes {
		var policy *trainer.MLPolicy
		switch typed := object.(type) {
		case *trainer.TrainingRuntime:
			policy = typed.Spec.MLPolicy
		case *trainer.ClusterTrainingRuntime:
			policy = typed.Spec.MLPolicy
		}
		if object.GetName() == ref.Name && policy != nil && usesXGBoost(policy) && kindOf(object) == refKind(ref) {
			return true
		}
	}
	return false
}

func kindOf(object client.Object) string {
	if _, ok := object.(*trainer.TrainingRuntime); ok {
		return trainer.TrainingRuntimeKind
	}
	return trainer.ClusterTrainingRuntimeKind
}

func refKind(ref trainer.RuntimeRef) string {
	if ref.Kind != nil {
		return *ref.Kind
	}
	return trainer.ClusterTrainingRuntimeKind
}

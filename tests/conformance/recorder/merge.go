//go:build !early

package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

func init() { modes["merge"] = mergeMode }

type mergeQuestion struct {
	Original json.RawMessage `json:"original"`
	Patch    json.RawMessage `json:"patch"`
}

// mergeAnswer holds the merged JobSetSpec as it leaves the merge, and after Go's types have read and written it.
type mergeAnswer struct {
	Merged json.RawMessage      `json:"merged,omitempty"`
	Typed  *v1alpha2.JobSetSpec `json:"typed,omitempty"`
	Error  string               `json:"error,omitempty"`
}

func mergeMode() (func([]byte) (any, error), error) {
	return func(line []byte) (any, error) {
		var asked mergeQuestion
		if err := json.Unmarshal(line, &asked); err != nil {
			return nil, err
		}
		merged, err := strategicpatch.StrategicMergePatch(asked.Original, asked.Patch, v1alpha2.JobSetSpec{})
		if err != nil {
			return mergeAnswer{Error: err.Error()}, nil
		}
		typed := &v1alpha2.JobSetSpec{}
		if err := json.Unmarshal(merged, typed); err != nil {
			return mergeAnswer{Merged: merged, Error: err.Error()}, nil
		}
		return mergeAnswer{Merged: merged, Typed: typed}, nil
	}, nil
}

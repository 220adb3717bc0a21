package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

type podRequestsAnswer struct {
	Requests corev1.ResourceList `json:"requests,omitempty"`
	Error    string              `json:"error,omitempty"`
}

// podRequestsMode answers a PodSpec with what Trainer counts for one such pod in a PodGroup.
func podRequestsMode() (func([]byte) (any, error), error) {
	return func(line []byte) (any, error) {
		var pod corev1.PodSpec
		if err := json.Unmarshal(line, &pod); err != nil {
			return podRequestsAnswer{Error: err.Error()}, nil
		}
		requests := resource.PodRequests(&corev1.Pod{Spec: pod}, resource.PodResourcesOptions{})
		return podRequestsAnswer{Requests: requests}, nil
	}, nil
}

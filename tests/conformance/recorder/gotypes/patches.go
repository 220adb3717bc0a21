//go:build !early

package main

import trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"

func init() {
	structs["trainer/v1alpha1.JobSetSpecPatch"] = func() any { return &trainer.JobSetSpecPatch{} }
}

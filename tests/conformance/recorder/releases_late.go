//go:build !early

package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
)

// Trainer 2.2 and later.

func newRuntimes(ctx context.Context, c client.Client, indexer client.FieldIndexer) (map[string]runtime.Runtime, error) {
	return core.New(ctx, c, indexer, &configapi.Configuration{})
}

func validateRuntimeCreate(ctx context.Context, object client.Object) (err error) {
	switch typed := object.(type) {
	case *trainer.TrainingRuntime:
		_, err = (&webhooks.TrainingRuntimeValidator{}).ValidateCreate(ctx, typed)
	case *trainer.ClusterTrainingRuntime:
		_, err = (&webhooks.ClusterTrainingRuntimeValidator{}).ValidateCreate(ctx, typed)
	}
	return err
}

func usesXGBoost(policy *trainer.MLPolicy) bool { return policy.XGBoost != nil }

// crdFolders tells where each upstream module keeps its CRDs.
var crdFolders = map[string]string{
	"github.com/kubeflow/trainer/v2": "manifests/base/crds",
	"sigs.k8s.io/jobset":             "config/components/crd/bases",
}

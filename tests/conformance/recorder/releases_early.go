//go:build early

package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
)

// Trainer 2.0 and 2.1: their dependencies are too old for JobSet's admission, which another program judges.

func newRuntimes(ctx context.Context, c client.Client, indexer client.FieldIndexer) (map[string]runtime.Runtime, error) {
	return core.New(ctx, c, indexer)
}

func validateRuntimeCreate(ctx context.Context, object client.Object) (err error) {
	switch typed := object.(type) {
	case *trainer.TrainingRuntime:
		_, err = (&webhooks.TrainingRuntimeWebhook{}).ValidateCreate(ctx, typed)
	case *trainer.ClusterTrainingRuntime:
		_, err = (&webhooks.ClusterTrainingRuntimeWebhook{}).ValidateCreate(ctx, typed)
	}
	return err
}

func usesXGBoost(*trainer.MLPolicy) bool { return false }

func (crdSchemas) admitJobSet(map[string]any) []Finding { return nil }

var crdFolders = map[string]string{"github.com/kubeflow/trainer/v2": "manifests/base/crds"}

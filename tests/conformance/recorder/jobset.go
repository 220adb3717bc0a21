//go:build !early

package main

import (
	"context"
	"encoding/json"
	_ "unsafe" // for go:linkname

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/jobset/api/jobset/v1alpha2"
	_ "sigs.k8s.io/jobset/pkg/webhooks" // provides the linked methods

	testingutil "github.com/kubeflow/trainer/v2/pkg/util/testing"
)

func init() { modes["jobset"] = jobSetMode }

const jobSetKey = "jobset.x-k8s.io/v1alpha2/JobSet"

// jobSetWebhook has the layout of JobSet 0.12's unexported webhook type, whose methods are linked below
// (jobset.s is what lets the compiler accept functions without bodies).
type jobSetWebhook struct {
	client client.Client
}

//go:linkname jobSetDefault sigs.k8s.io/jobset/pkg/webhooks.(*jobSetWebhook).Default
func jobSetDefault(*jobSetWebhook, context.Context, *v1alpha2.JobSet) error

//go:linkname jobSetValidateCreate sigs.k8s.io/jobset/pkg/webhooks.(*jobSetWebhook).ValidateCreate
func jobSetValidateCreate(*jobSetWebhook, context.Context, *v1alpha2.JobSet) (admission.Warnings, error)

//go:linkname jobSetValidateUpdate sigs.k8s.io/jobset/pkg/webhooks.(*jobSetWebhook).ValidateUpdate
func jobSetValidateUpdate(_ *jobSetWebhook, _ context.Context, old, updated *v1alpha2.JobSet) (admission.Warnings, error)

func newJobSetWebhook() *jobSetWebhook {
	return &jobSetWebhook{testingutil.NewClientBuilder().Build()}
}

// jobSetMode judges a JobSet, for programs that cannot.
func jobSetMode() (func([]byte) (any, error), error) {
	schemas, err := loadSchemas()
	if err != nil {
		return nil, err
	}
	return func(line []byte) (any, error) {
		object := map[string]any{}
		if err := json.Unmarshal(line, &object); err != nil {
			return nil, err
		}
		return append([]Finding{}, schemas.admitJobSet(object)...), nil
	}, nil
}

// admitJobSet is JobSet's own admission of an expanded JobSet, in the API server's order:
// CRD defaults, defaulting webhook, schema and CEL, validating webhook.
func (s crdSchemas) admitJobSet(object map[string]any) []Finding {
	id := "JobSet/" + metaOf(object, "name")
	return recovered("jobset-webhook-panic", id, func() []Finding {
		typed, err := s.defaultedJobSet(object)
		if err != nil {
			return []Finding{newFinding("jobset-decode", id, err.Error())}
		}
		webhook := newJobSetWebhook()
		if err := jobSetDefault(webhook, context.Background(), typed); err != nil {
			return []Finding{newFinding("jobset-webhook", id, err.Error())}
		}
		stored, err := untyped(typed)
		if err != nil {
			return []Finding{newFinding("jobset-decode", id, err.Error())}
		}
		found := s[jobSetKey].validateMetadata("jobset-", id, &unstructured.Unstructured{Object: stored})
		found = append(found, s[jobSetKey].validate("jobset-", id, stored)...)
		if _, err := jobSetValidateCreate(webhook, context.Background(), typed); err != nil {
			found = append(found, newFinding("jobset-webhook", id, err.Error()))
		}
		return found
	})
}

// defaultedJobSet decodes a JobSet after the CRD's defaults.
func (s crdSchemas) defaultedJobSet(object map[string]any) (*v1alpha2.JobSet, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoded := &unstructured.Unstructured{}
	if err := decoded.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	defaulting.Default(decoded.Object, s[jobSetKey].structural)
	typed := &v1alpha2.JobSet{}
	return typed, runtime.DefaultUnstructuredConverter.FromUnstructured(decoded.Object, typed)
}

// untyped gives a JobSet as the API server validates it: integers as int64, nothing that only Go's types write.
func untyped(typed *v1alpha2.JobSet) (map[string]any, error) {
	copied := typed.DeepCopy()
	copied.SetGroupVersionKind(v1alpha2.SchemeGroupVersion.WithKind("JobSet"))
	raw, err := json.Marshal(copied)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(object.Object, "status")
	return object.Object, nil
}

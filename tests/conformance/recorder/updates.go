//go:build !early

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

func init() { modes["updates"] = updatesMode }

// suspension is a pair of spec.suspend before and after an update.
type suspension struct{ before, after bool }

var suspensions = map[string]suspension{
	"running":    {false, false},
	"suspended":  {true, true},
	"suspending": {false, true},
	"resuming":   {true, false},
}

// UpdateRecord tells what admission says to an update, by state; an empty list is consent.
type UpdateRecord struct {
	Name     string               `json:"name"`
	Invalid  string               `json:"invalid,omitempty"`
	TrainJob map[string][]Finding `json:"trainjob,omitempty"`
	JobSet   map[string][]Finding `json:"jobset,omitempty"`
}

// version is one side of an update: a runtime, a TrainJob and the JobSet that they give.
type version struct {
	input  *input
	job    job
	jobSet map[string]any
}

func updatesMode() (func([]byte) (any, error), error) {
	schemas, err := loadSchemas()
	if err != nil {
		return nil, err
	}
	return func(line []byte) (any, error) {
		var asked struct{ Name, Old, New string }
		if err := json.Unmarshal(line, &asked); err != nil {
			return nil, err
		}
		return schemas.recordUpdate(asked.Name, asked.Old, asked.New), nil
	}, nil
}

func (s crdSchemas) recordUpdate(name, oldStream, newStream string) UpdateRecord {
	before, oldErr := s.readVersion(oldStream)
	after, newErr := s.readVersion(newStream)
	if err := errors.Join(oldErr, newErr); err != nil {
		return UpdateRecord{Name: name, Invalid: err.Error()}
	}
	out := UpdateRecord{name, "", map[string][]Finding{}, map[string][]Finding{}}
	for state, suspend := range suspensions {
		out.TrainJob[state] = s.updateJob(before, after, suspend)
		out.JobSet[state] = s.updateJobSet(before, after, suspend)
	}
	return out
}

// readVersion takes only what is accepted as a new object.
func (s crdSchemas) readVersion(stream string) (*version, error) {
	in, err := s.read(stream)
	if err != nil {
		return nil, err
	}
	if len(in.jobs) != 1 {
		return nil, fmt.Errorf("%d TrainJobs instead of one", len(in.jobs))
	}
	side := &version{input: in, job: in.jobs[0]}
	refused, _ := validateJob(context.Background(), in.runtimes, nil, side.job.typed)
	if refused = append(append(refused, in.findings...), side.job.findings...); len(refused) > 0 {
		return nil, fmt.Errorf("refused as a new object: %v", refused)
	}
	objects, err := expand(context.Background(), in.runtimes, side.job.typed)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if object["kind"] == "JobSet" {
			side.jobSet = object
		}
	}
	return side, nil
}

func (s crdSchemas) updateJob(before, after *version, suspend suspension) []Finding {
	id := "TrainJob/" + after.job.typed.Name
	oldObject, newObject := before.job.unstructured.DeepCopy().Object, after.job.unstructured.DeepCopy().Object
	_ = unstructured.SetNestedField(oldObject, suspend.before, "spec", "suspend")
	_ = unstructured.SetNestedField(newObject, suspend.after, "spec", "suspend")
	found := s["trainer.kubeflow.org/v1alpha1/TrainJob"].validateRules("", id, newObject, oldObject)
	oldJob, newJob := before.job.typed.DeepCopy(), after.job.typed.DeepCopy()
	oldJob.Spec.Suspend, newJob.Spec.Suspend = ptr.To(suspend.before), ptr.To(suspend.after)
	refused, _ := validateJob(context.Background(), after.input.runtimes, oldJob, newJob)
	return append(append([]Finding{}, found...), refused...)
}

func (s crdSchemas) updateJobSet(before, after *version, suspend suspension) []Finding {
	found := []Finding{}
	oldSet, err := s.storedJobSet(before.jobSet, suspend.before)
	if err != nil {
		return append(found, newFinding("jobset-decode", "", err.Error()))
	}
	newSet, err := s.storedJobSet(after.jobSet, suspend.after)
	if err != nil {
		return append(found, newFinding("jobset-decode", "", err.Error()))
	}
	oldObject, oldErr := untyped(oldSet)
	newObject, newErr := untyped(newSet)
	id := "JobSet/" + newSet.Name
	if err := errors.Join(oldErr, newErr); err != nil {
		return append(found, newFinding("jobset-decode", id, err.Error()))
	}
	found = append(found, s[jobSetKey].validateRules("jobset-", id, newObject, oldObject)...)
	if _, err := jobSetValidateUpdate(newJobSetWebhook(), context.Background(), oldSet, newSet); err != nil {
		refused := newFinding("jobset-webhook", id, err.Error())
		refused.Field = "spec.replicatedJobs"
		found = append(found, refused)
	}
	return found
}

// storedJobSet is a JobSet with all of creation's defaults. They stay through an update: whoever applies again does
// not own the fields that the webhook added, and states the ones inside lists himself.
func (s crdSchemas) storedJobSet(object map[string]any, suspend bool) (*v1alpha2.JobSet, error) {
	typed, err := s.defaultedJobSet(object)
	if err != nil {
		return nil, err
	}
	typed.Spec.Suspend = ptr.To(suspend)
	return typed, jobSetDefault(newJobSetWebhook(), context.Background(), typed)
}

package main

import (
	"cmp"
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // Job's conversions and defaults
	_ "k8s.io/kubernetes/pkg/apis/core/install"  // Pod's
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/utils/ptr"
)

// jobSet is the part of a JobSet that Jobs are made of.
type jobSet struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		ReplicatedJobs      []replicatedJob `json:"replicatedJobs"`
		VolumeClaimPolicies []struct {
			Templates []corev1.PersistentVolumeClaim `json:"templates"`
		} `json:"volumeClaimPolicies"`
	} `json:"spec"`
}

type replicatedJob struct {
	Name     string                  `json:"name"`
	Template batchv1.JobTemplateSpec `json:"template"`
}

type refusal struct {
	Job     string `json:"job"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

func (s jobSet) refusals() []refusal {
	found := []refusal{}
	for _, replicated := range s.Spec.ReplicatedJobs {
		found = append(found, s.refusalsOf(replicated)...)
	}
	return found
}

// refusalsOf treats a replicated job's first Job as a create request does: defaults, strategy, validation.
func (s jobSet) refusalsOf(replicated replicatedJob) []refusal {
	external := s.firstJob(replicated)
	legacyscheme.Scheme.Default(external)
	internal := &batch.Job{}
	if err := legacyscheme.Scheme.Convert(external, internal, nil); err != nil {
		return []refusal{{Job: replicated.Name, Message: err.Error()}}
	}
	ctx := request.WithNamespace(context.Background(), external.Namespace)
	internal.UID = "00000000-0000-0000-0000-000000000000"
	job.Strategy.PrepareForCreate(ctx, internal)
	var found []refusal
	for _, err := range job.Strategy.Validate(ctx, internal) {
		found = append(found, refusal{replicated.Name, err.Field, err.ErrorBody()})
	}
	slices.SortFunc(found, func(a, b refusal) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	return found
}

func (s jobSet) firstJob(replicated replicatedJob) *batchv1.Job {
	made := &batchv1.Job{Spec: *replicated.Template.Spec.DeepCopy()}
	made.Name = s.Metadata.Name + "-" + replicated.Name + "-0"
	made.Namespace = cmp.Or(s.Metadata.Namespace, metav1.NamespaceDefault)
	made.Labels, made.Annotations = replicated.Template.Labels, replicated.Template.Annotations
	if made.Spec.CompletionMode == nil { // what JobSet's webhook fills in
		made.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	}
	s.addVolumes(&made.Spec.Template.Spec)
	made.Spec.Template.Spec.RestartPolicy = cmp.Or(made.Spec.Template.Spec.RestartPolicy, corev1.RestartPolicyOnFailure)
	return made
}

// addVolumes adds the volumes of claims that a container mounts, as JobSet's controller does.
func (s jobSet) addVolumes(pod *corev1.PodSpec) {
	mounted := map[string]bool{}
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		for _, mount := range container.VolumeMounts {
			mounted[mount.Name] = true
		}
	}
	for _, policy := range s.Spec.VolumeClaimPolicies {
		for _, template := range policy.Templates {
			if mounted[template.Name] {
				claim := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: template.Name + "-" + s.Metadata.Name}
				source := corev1.VolumeSource{PersistentVolumeClaim: claim}
				pod.Volumes = append(pod.Volumes, corev1.Volume{Name: template.Name, VolumeSource: source})
			}
		}
	}
}

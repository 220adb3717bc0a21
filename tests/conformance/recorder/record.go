package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/utils/ptr"
)

const multiKueue = "kueue.x-k8s.io/multikueue"

// Record is the answer to one input.
type Record struct {
	Name            string      `json:"name"`
	StreamError     string      `json:"stream-error,omitempty"`
	RuntimeFindings []Finding   `json:"runtime-findings,omitempty"`
	Jobs            []JobRecord `json:"jobs"`
}

// JobRecord is what becomes of one TrainJob.
type JobRecord struct {
	Job              string           `json:"job"`
	Verdict          string           `json:"verdict"`
	Findings         []Finding        `json:"findings,omitempty"`
	Warnings         []string         `json:"warnings,omitempty"`
	Error            string           `json:"error,omitempty"`
	Objects          []map[string]any `json:"objects,omitempty"`
	Unordered        []string         `json:"unordered,omitempty"`
	Nondeterministic []string         `json:"nondeterministic,omitempty"`
}

func recordMode() (func([]byte) (any, error), error) {
	schemas, err := loadSchemas()
	if err != nil {
		return nil, err
	}
	return func(line []byte) (any, error) {
		var asked struct{ Name, Docs string }
		if err := json.Unmarshal(line, &asked); err != nil {
			return nil, err
		}
		return schemas.record(asked.Name, asked.Docs), nil
	}, nil
}

func (s crdSchemas) record(name, stream string) (out Record) {
	out = Record{Name: name, Jobs: []JobRecord{}}
	defer func() {
		if reason := recover(); reason != nil {
			out.StreamError = fmt.Sprint("panic: ", reason)
		}
	}()
	in, err := s.read(stream)
	if err != nil {
		out.StreamError = err.Error()
		return out
	}
	out.RuntimeFindings = in.findings
	for _, one := range in.jobs {
		out.Jobs = append(out.Jobs, s.recordJob(in, one))
	}
	return out
}

func (s crdSchemas) recordJob(in *input, one job) JobRecord {
	ctx := context.Background()
	out := JobRecord{Job: one.typed.Name, Findings: one.findings}
	refusals, warnings := validateJob(ctx, in.runtimes, nil, one.typed)
	out.Findings, out.Warnings = append(out.Findings, refusals...), warnings
	seen := &variants{}
	for range max(1, *repeats) {
		objects, err := expand(ctx, in.runtimes, one.typed)
		if err != nil {
			out.Error = err.Error()
			break
		}
		seen.add(objects)
	}
	if out.Error == "" {
		out.Objects = seen.first
		out.Unordered, out.Nondeterministic = seen.unordered(), seen.nondeterministic()
		if hasRandomEnv(in, one.typed) {
			out.Unordered = append(out.Unordered, "env")
		}
	}
	for _, object := range out.Objects {
		if object["kind"] == "JobSet" {
			out.Findings = append(out.Findings, s.admitJobSet(object)...)
		}
	}
	out.Verdict = verdict(&out, ptr.Deref(one.typed.Spec.ManagedBy, ""))
	return out
}

// verdict names what happens and leaves out of the record what never comes to be.
func verdict(out *JobRecord, managedBy string) string {
	refused, unknown := "", false
	for _, found := range out.Findings {
		unknown = unknown || found.Stage == "unknown-field"
		if refused == "" || refused == "jobset-rejected" {
			refused = refusal(found.Stage, refused)
		}
	}
	switch {
	case refused == "rejected-at-admission":
		out.Objects, out.Error = nil, ""
		out.Unordered, out.Nondeterministic = nil, nil
		return refused
	case strings.HasPrefix(out.Error, "panic:"):
		out.Error = ""
		return "controller-crashes"
	case out.Error != "":
		return "controller-fails"
	case managedBy == multiKueue && isSince23():
		out.Objects = nil
		return "not-managed-here"
	case refused != "":
		return refused
	case unknown:
		return "accepted-with-pruned-fields"
	}
	return "accepted"
}

func refusal(stage, before string) string {
	switch {
	case strings.HasPrefix(stage, "jobset-"):
		return "jobset-rejected"
	case stage == "unknown-field":
		return before
	}
	return "rejected-at-admission"
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// roots are the types from which everything else is reached.
var roots = []any{trainer.TrainJob{}, trainer.TrainingRuntime{}, trainer.ClusterTrainingRuntime{}, jobset.JobSet{}}

// fieldFacts is what one field of a Go struct does to its JSON.
type fieldFacts struct {
	Kind     string      `json:"kind"`
	Of       string      `json:"of,omitempty"`       // a struct's type
	Elem     *fieldFacts `json:"elem,omitempty"`     // of a list or map
	Keep     bool        `json:"keep,omitempty"`     // written although zero: no omitempty, or a struct by value
	Pointer  bool        `json:"pointer,omitempty"`  // written when set, even if zero
	MergeKey string      `json:"mergeKey,omitempty"` // of a strategic merge
	Strategy string      `json:"strategy,omitempty"`
}

// scalarStructs are written as something else than an object.
var scalarStructs = map[string]string{
	"resource.Quantity":  "quantity",
	"intstr.IntOrString": "intOrString",
	"v1.Time":            "time",
	"v1.MicroTime":       "time",
	"v1.Duration":        "duration",
	"v1.FieldsV1":        "any",
}

// typeFacts is keyed by type, then by JSON field.
type typeFacts map[string]map[string]*fieldFacts

func printTypes(out io.Writer) error {
	facts := typeFacts{}
	for _, root := range roots {
		facts.describe(reflect.TypeOf(root))
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", " ")
	return encoder.Encode(facts)
}

func (f typeFacts) describe(t reflect.Type) *fieldFacts {
	if kind, scalar := scalarStructs[t.String()]; scalar {
		return &fieldFacts{Kind: kind}
	}
	switch t.Kind() {
	case reflect.Pointer:
		target := f.describe(t.Elem())
		target.Pointer = true
		return target
	case reflect.Struct:
		return &fieldFacts{Kind: "struct", Of: f.add(t)}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &fieldFacts{Kind: "bytes"}
		}
		return &fieldFacts{Kind: "list", Elem: f.describe(t.Elem())}
	case reflect.Map:
		return &fieldFacts{Kind: "map", Elem: f.describe(t.Elem())}
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Int8, reflect.Uint32:
		return &fieldFacts{Kind: t.Kind().String()}
	}
	panic(fmt.Sprint("no facts for ", t))
}

// add notes a struct's fields once and gives the name it goes by, such as core/v1.Container.
func (f typeFacts) add(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	name := strings.Join(path[len(path)-2:], "/") + "." + t.Name()
	if _, known := f[name]; !known {
		f[name] = map[string]*fieldFacts{}
		f.collect(f[name], t)
	}
	return name
}

func (f typeFacts) collect(fields map[string]*fieldFacts, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" && (field.Anonymous || strings.Contains(options, "inline")) {
			inlined := field.Type
			if inlined.Kind() == reflect.Pointer {
				inlined = inlined.Elem()
			}
			f.collect(fields, inlined)
			continue
		}
		fields[name] = f.field(field, options)
	}
}

func (f typeFacts) field(field reflect.StructField, options string) *fieldFacts {
	facts := f.describe(field.Type)
	if !facts.Pointer && !strings.Contains(options, "omitzero") {
		facts.Keep = field.Type.Kind() == reflect.Struct || !strings.Contains(options, "omitempty")
	}
	facts.MergeKey = field.Tag.Get("patchMergeKey")
	facts.Strategy = field.Tag.Get("patchStrategy")
	return facts
}

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// structFacts maps a field's JSON name to its spelling: "[!][*]TYPE[ strategy[ mergeKey]]", where ! means that the field is
// printed although zero, * a pointer, and TYPE is a scalar kind, a struct's name, []TYPE or {}TYPE.
type structFacts map[string]string

var facts = map[string]structFacts{}

var special = map[string]string{
	"resource.Quantity":  "quantity",
	"intstr.IntOrString": "intOrString",
	"v1.Time":            "time",
	"v1.MicroTime":       "time",
	"v1.Duration":        "duration",
	"v1.FieldsV1":        "any",
}

func describe(t reflect.Type) string {
	if name, ok := special[t.String()]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + describe(t.Elem())
	case reflect.Struct:
		return describeStruct(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + describe(t.Elem())
	case reflect.Map:
		return "{}" + describe(t.Elem())
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64, reflect.Uint32:
		return t.Kind().String()
	}
	panic(t.String())
}

func describeStruct(t reflect.Type) string {
	path := t.PkgPath()
	path = path[strings.LastIndex(path[:strings.LastIndex(path, "/")], "/")+1:]
	name := path + "." + t.Name()
	if _, known := facts[name]; !known {
		facts[name] = structFacts{}
		collect(facts[name], t)
	}
	return name
}

func collect(fields structFacts, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			collect(fields, inner)
			continue
		}
		spelling := describe(field.Type)
		never := "omitzero"
		if field.Type.Kind() != reflect.Struct {
			never = "omit"
		}
		if !strings.Contains(options, never) {
			spelling = "!" + spelling
		}
		for _, tag := range []string{"patchStrategy", "patchMergeKey"} {
			if value := field.Tag.Get(tag); value != "" {
				spelling += " " + value
			}
		}
		fields[name] = spelling
	}
}

func printFacts() {
	for _, root := range []any{
		trainer.TrainJob{}, trainer.TrainingRuntime{}, trainer.ClusterTrainingRuntime{}, jobset.JobSet{}, corev1.ConfigMap{},
	} {
		describe(reflect.TypeOf(root))
	}
	names := make([]string, 0, len(facts))
	for name := range facts {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		line, err := json.Marshal(facts[name])
		if err != nil {
			panic(err)
		}
		start, end := ",", ""
		if i == 0 {
			start = "{"
		}
		if i == len(names)-1 {
			end = "}"
		}
		fmt.Printf("%s%q:%s%s\n", start, name, line, end)
	}
}

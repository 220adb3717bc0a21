package main

import (
	"cmp"
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/storage/names"
)

// admit treats a user's object as the API server does on create: prune (reporting what is unknown), default, validate.
// The object is changed in place; a kind without a CRD is let through.
func (s crdSchemas) admit(object *unstructured.Unstructured) []Finding {
	kind := object.GroupVersionKind()
	crd, known := s[kind.Group+"/"+kind.Version+"/"+kind.Kind]
	if !known {
		return nil
	}
	id := kind.Kind + "/" + object.GetName()
	found := crd.prune(id, object.Object)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, crd.structural)
	defaulting.Default(object.Object, crd.structural)
	found = append(found, crd.validateMetadata("", id, object)...)
	return append(found, crd.validate("", id, object.Object)...)
}

// validateMetadata is what the API server asks of every object's name, namespace, labels and annotations.
func (c *crdSchema) validateMetadata(prefix, id string, object *unstructured.Unstructured) []Finding {
	stored := object.DeepCopy()
	stored.SetNamespace("")
	if c.namespaced {
		stored.SetNamespace(cmp.Or(object.GetNamespace(), defaultNamespace))
	}
	if stored.GetName() == "" && stored.GetGenerateName() != "" {
		stored.SetName(names.SimpleNameGenerator.GenerateName(stored.GetGenerateName()))
	}
	path := field.NewPath("metadata")
	errs := apivalidation.ValidateObjectMetaAccessor(stored, c.namespaced, apivalidation.NameIsDNSSubdomain, path)
	return fromFieldErrors(prefix+"metadata", id, errs)
}

func (c *crdSchema) prune(id string, object map[string]any) []Finding {
	var found []Finding
	track := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(object, c.structural, true, track) {
		found = append(found, Finding{"unknown-field", id, path, "Unknown", "unknown field " + path})
	}
	return found
}

// validate checks schema, list keys and CEL rules; prefix tells apart the stages of different objects.
func (c *crdSchema) validate(prefix, id string, object map[string]any) []Finding {
	found := fromFieldErrors(prefix+"schema", id, validation.ValidateCustomResource(nil, object, c.validator))
	lists := listtype.ValidateListSetsAndMaps(nil, c.structural, object)
	found = append(found, fromFieldErrors(prefix+"schema", id, lists)...)
	return append(found, c.validateRules(prefix, id, object, nil)...)
}

// validateRules runs the CEL rules; with an old object the transition rules too.
func (c *crdSchema) validateRules(prefix, id string, object, old map[string]any) []Finding {
	var before any
	if old != nil {
		before = old
	}
	errs, _ := c.cel.Validate(context.Background(), nil, c.structural, object, before, celconfig.RuntimeCELCostBudget)
	return fromFieldErrors(prefix+"cel", id, errs)
}

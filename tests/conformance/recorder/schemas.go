package main

import (
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// crdSchema is what the API server derives from one version of a CRD.
type crdSchema struct {
	structural *schema.Structural
	validator  validation.SchemaValidator
	cel        *cel.Validator
	namespaced bool
}

// crdSchemas is keyed by group/version/kind.
type crdSchemas map[string]*crdSchema

func loadSchemas() (crdSchemas, error) {
	files, err := crdFiles()
	if err != nil {
		return nil, err
	}
	schemas := crdSchemas{}
	for _, file := range files {
		if err := schemas.addFile(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return schemas, nil
}

func (s crdSchemas) addFile(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(raw, &crd); err != nil {
		return err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	for _, version := range crd.Spec.Versions {
		derived, err := derive(version.Schema)
		if err != nil {
			return err
		}
		derived.namespaced = crd.Spec.Scope == apiextensionsv1.NamespaceScoped
		s[crd.Spec.Group+"/"+version.Name+"/"+crd.Spec.Names.Kind] = derived
	}
	return nil
}

func derive(external *apiextensionsv1.CustomResourceValidation) (*crdSchema, error) {
	internal := &apiextensions.CustomResourceValidation{}
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(external, internal, nil)
	if err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return &crdSchema{structural: structural, validator: validator, cel: rules}, nil
}

package main

import (
	"errors"
	"fmt"
	"sort"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Finding is one refusal; Stage tells who refuses.
type Finding struct {
	Stage   string `json:"stage"`
	Object  string `json:"object"`
	Field   string `json:"field,omitempty"`
	Type    string `json:"type,omitempty"`
	Message string `json:"message"`
}

// longestMessage bounds messages that quote whole containers; what is wrong stands at their end.
const longestMessage = 400

func newFinding(stage, object, message string) Finding {
	return Finding{Stage: stage, Object: object, Message: shorten(message)}
}

func shorten(message string) string {
	if text := []rune(message); len(text) > longestMessage {
		return string(text[len(text)-longestMessage:])
	}
	return message
}

func fromFieldError(stage, object string, err *field.Error) Finding {
	found := newFinding(stage, object, err.ErrorBody())
	found.Field, found.Type = err.Field, string(err.Type)
	return found
}

func fromFieldErrors(stage, object string, list field.ErrorList) []Finding {
	var found []Finding
	for _, err := range list {
		found = append(found, fromFieldError(stage, object, err))
	}
	sort.SliceStable(found, func(a, b int) bool {
		return found[a].Field+found[a].Message < found[b].Field+found[b].Message
	})
	return found
}

// fromError takes an aggregate of field errors apart.
func fromError(stage, object string, err error) []Finding {
	if err == nil {
		return nil
	}
	var aggregate utilerrors.Aggregate
	if !errors.As(err, &aggregate) {
		return []Finding{newFinding(stage, object, err.Error())}
	}
	var found []Finding
	for _, one := range aggregate.Errors() {
		var fieldError *field.Error
		if errors.As(one, &fieldError) {
			found = append(found, fromFieldError(stage, object, fieldError))
		} else {
			found = append(found, newFinding(stage, object, one.Error()))
		}
	}
	return found
}

// recovered runs f; a panic becomes a finding.
func recovered(stage, object string, f func() []Finding) (found []Finding) {
	defer func() {
		if reason := recover(); reason != nil {
			found = []Finding{newFinding(stage, object, fmt.Sprint("panic: ", reason))}
		}
	}()
	return f()
}

package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityQuestion is a sum: every term is read as in a manifest (a string or a number) and multiplied by its count.
type quantityQuestion struct {
	Terms []struct {
		Quantity json.RawMessage `json:"quantity"`
		Times    *int64          `json:"times"`
	} `json:"terms"`
}

type quantityAnswer struct {
	Terms []quantityTerm `json:"terms,omitempty"`
	Sum   string         `json:"sum,omitempty"`
	Error string         `json:"error,omitempty"`
}

type quantityTerm struct {
	Text  string `json:"text"`
	Value int64  `json:"value"` // rounded up
	Milli int64  `json:"milli"`
	Sign  int    `json:"sign"`
}

func quantityMode() (func([]byte) (any, error), error) {
	return func(line []byte) (any, error) {
		var asked quantityQuestion
		if err := json.Unmarshal(line, &asked); err != nil {
			return nil, err
		}
		return asked.answer(), nil
	}, nil
}

func (q quantityQuestion) answer() (out quantityAnswer) {
	sum := resource.Quantity{}
	for _, term := range q.Terms {
		var quantity resource.Quantity
		if err := json.Unmarshal(term.Quantity, &quantity); err != nil {
			return quantityAnswer{Error: err.Error()}
		}
		read := quantity.DeepCopy()
		out.Terms = append(out.Terms, quantityTerm{read.String(), read.Value(), read.MilliValue(), read.Sign()})
		if term.Times != nil {
			quantity.Mul(*term.Times)
		}
		sum.Add(quantity)
	}
	out.Sum = sum.String()
	return out
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// eachLine answers every JSON line of in with one JSON line on out, in order.
func eachLine(in io.Reader, out io.Writer, answer func([]byte) (any, error)) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := reader.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return readErr
		}
		if len(bytes.TrimSpace(line)) > 0 {
			value, err := answer(line)
			if err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if err := encoder.Encode(value); err != nil {
				return err
			}
		}
		if readErr != nil {
			return nil
		}
	}
}

// plain gives a typed value the shape that its JSON has.
func plain(value any) (map[string]any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	object := map[string]any{}
	return object, json.Unmarshal(raw, &object)
}

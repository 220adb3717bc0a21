package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

const trainerModule = "github.com/kubeflow/trainer/v2"

// crdFiles finds the CRDs of exactly the module versions that this program is built from, in Go's module cache.
func crdFiles() ([]string, error) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, fmt.Errorf("built without module information")
	}
	var files []string
	for _, module := range build.Deps {
		folder, wanted := crdFolders[module.Path]
		if !wanted {
			continue
		}
		dir, err := moduleDir(module.Path + "@" + module.Version)
		if err != nil {
			return nil, err
		}
		found, err := filepath.Glob(filepath.Join(dir, folder, "*_*.yaml"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no CRDs in %s/%s", dir, folder)
		}
		files = append(files, found...)
	}
	return files, nil
}

func moduleDir(module string) (string, error) {
	raw, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var answer struct{ Dir string }
	return answer.Dir, json.Unmarshal(raw, &answer)
}

func printCRDPaths(out io.Writer) error {
	files, err := crdFiles()
	for _, file := range files {
		fmt.Fprintln(out, file)
	}
	return err
}

// isSince23 tells whether this Trainer is 2.3 or later. Its controller leaves alone what another controller manages, and
// the configuration of its webhooks excludes runtimes with a label.
func isSince23() bool {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == trainerModule {
			return module.Version >= "v2.3"
		}
	}
	return false
}

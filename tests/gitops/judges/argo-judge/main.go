// argo-judge runs Argo CD's own code without a cluster:
//
//	argo-judge cmp-server [flags]     the plugin sidecar of upstream
//	argo-judge cmp -socket S -repo DIR [-app FOLDER] [-env NAME=VALUE ...] [-timeout 60s] match|generate
//	                                  what the repo-server asks a sidecar; prints {"supported", "manifests", "error"}
//	argo-judge health -overrides CONFIGMAP OBJECTS...
//	                                  the health of objects by argocd-cm; a line {"status", "message"} for each
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	sidecar "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	"github.com/argoproj/argo-cd/v3/util/lua"
)

const healthKey = "resource.customizations.health."

type reply struct {
	Supported bool     `json:"supported"`
	Manifests []string `json:"manifests"`
	Error     string   `json:"error,omitempty"`
}

func ask(arguments []string) error {
	flags := flag.NewFlagSet("cmp", flag.ExitOnError)
	socket := flags.String("socket", "", "the socket of the sidecar")
	repo := flags.String("repo", "", "the top of the repository, which is sent")
	app := flags.String("app", "", "the folder of the Application in it")
	limit := flags.Duration("timeout", time.Minute, "the deadline of the call")
	var env []string
	flags.Func("env", "a variable for the plugin", func(each string) error {
		env = append(env, each)
		return nil
	})
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	connection, client, err := apiclient.NewConfigManagementPluginClientSet(*socket).NewConfigManagementPluginClient()
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	send := func(stream cmp.StreamSender) error {
		return cmp.SendRepoStream(ctx, filepath.Join(*repo, *app), *repo, stream, env, nil)
	}
	var result reply
	switch flags.Arg(0) {
	case "match":
		result.Supported, err = match(ctx, client, send)
	case "generate":
		result.Manifests, err = generate(ctx, client, send)
	default:
		err = errors.New("the call is match or generate")
	}
	if err != nil {
		result.Error = err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

type sender func(cmp.StreamSender) error

func match(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient, send sender) (bool, error) {
	stream, err := client.MatchRepository(ctx)
	if err != nil {
		return false, err
	}
	if err := send(stream); err != nil {
		return false, err
	}
	response, err := stream.CloseAndRecv()
	return err == nil && response.IsSupported, err
}

func generate(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient, send sender) ([]string, error) {
	stream, err := client.GenerateManifest(ctx)
	if err != nil {
		return nil, err
	}
	if err := send(stream); err != nil {
		return nil, err
	}
	response, err := stream.CloseAndRecv()
	if err != nil {
		return nil, err
	}
	return response.Manifests, nil
}

// read calls use for every document of a file.
func read(path string, use func(*unstructured.Unstructured) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := use(object); err != nil {
			return err
		}
	}
}

func healthOf(arguments []string) error {
	flags := flag.NewFlagSet("health", flag.ExitOnError)
	configMap := flags.String("overrides", "", "argocd-cm")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	overrides := lua.ResourceHealthOverrides{}
	err := read(*configMap, func(object *unstructured.Unstructured) error {
		data, _, err := unstructured.NestedStringMap(object.Object, "data")
		for key, script := range data {
			if kind, is := strings.CutPrefix(key, healthKey); is {
				overrides[strings.Replace(kind, "_", "/", 1)] = v1alpha1.ResourceOverride{HealthLua: script}
			}
		}
		return err
	})
	for index := 0; err == nil && index < flags.NArg(); index++ {
		err = read(flags.Arg(index), func(object *unstructured.Unstructured) error {
			row := map[string]string{"status": "", "message": ""}
			found, err := health.GetResourceHealth(object, overrides)
			if err != nil {
				row["status"], row["message"] = "error", err.Error()
			} else if found != nil {
				row["status"], row["message"] = string(found.Status), found.Message
			}
			return json.NewEncoder(os.Stdout).Encode(row)
		})
	}
	return err
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		arguments = []string{""}
	}
	switch arguments[0] {
	case "cmp-server":
		command := sidecar.NewCommand()
		command.SetArgs(arguments[1:])
		return command.Execute()
	case "cmp":
		return ask(arguments[1:])
	case "health":
		return healthOf(arguments[1:])
	}
	return errors.New("the first argument is cmp-server, cmp or health")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "argo-judge:", err)
		os.Exit(2)
	}
}

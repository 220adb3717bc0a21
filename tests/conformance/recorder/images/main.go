// Command images reads references to images, one JSON string a line, and answers whether they are valid.
package main

import (
	"bufio"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/json"
	"os"

	"github.com/distribution/reference"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var image string
		if err := json.Unmarshal(lines.Bytes(), &image); err != nil {
			panic(err)
		}
		_, err := reference.ParseNormalizedNamed(image)
		if err := answers.Encode(err == nil); err != nil {
			panic(err)
		}
	}
}

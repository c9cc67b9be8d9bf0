// Command probe says what evanphx/json-patch makes of patches: it reads a JSON object {patch, doc} a line, both base64,
// and writes a line for each. Built twice, with the real module and with the build's copy, it must write the same.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

var kinds = []error{
	jsonpatch.ErrTestFailed, jsonpatch.ErrMissing, jsonpatch.ErrUnknownType, jsonpatch.ErrInvalid,
	jsonpatch.ErrInvalidIndex, jsonpatch.ErrExpectedObject,
}

// kindOf names the kind of an error; a message of the JSON package's own, which differs, is no kind.
func kindOf(err error) string {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "an error"
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var c struct{ Patch, Doc []byte }
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%s\n", judge(c.Patch, c.Doc))
	}
}

func judge(patch, doc []byte) (line []byte) {
	defer func() {
		if p := recover(); p != nil {
			line = []byte("panic")
		}
	}()
	ops, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return []byte("refused: " + kindOf(err))
	}
	for _, op := range ops {
		path, pathErr := op.Path()
		from, fromErr := op.From()
		value, valueErr := op.ValueInterface()
		line = fmt.Appendf(line, "%s %q %v %q %v %#v %v; ", op.Kind(), path, pathErr != nil, from, fromErr != nil,
			value, valueErr != nil)
	}
	for _, escape := range []bool{true, false} {
		o := jsonpatch.NewApplyOptions()
		o.EscapeHTML = escape
		o.EnsurePathExistsOnAdd = !escape
		out, err := ops.ApplyIndentWithOptions(doc, map[bool]string{false: "  "}[escape], o)
		if err != nil {
			line = fmt.Appendf(line, "failed: %s ", kindOf(err))
			continue
		}
		line = fmt.Appendf(line, "%q ", out)
	}
	return line
}

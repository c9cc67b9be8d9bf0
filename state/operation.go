package state

import (
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"aguiwasm/agui/rawjson"
)

// operation is one decoded and validated operation of a patch.
type operation struct {
	*plan
	value string // raw, for add, replace and test
}

// plan is what an operation does, without its value. A stream repeats few plans with ever new values, so they are kept.
type plan struct {
	kind               opKind
	path               string
	tokens, fromTokens []string
	// reason says why the operation is malformed, or is "".
	reason string
}

type opKind uint8

const (
	opUnknown opKind = iota
	opAdd
	opRemove
	opReplace
	opMove
	opCopy
	opTest
)

var opNames = [...]string{"", "add", "remove", "replace", "move", "copy", "test"}

func (k opKind) String() string { return opNames[k] }

func opKindOf(name string) opKind {
	for k, n := range opNames {
		if n == name {
			return opKind(k)
		}
	}
	return opUnknown
}

// planLimit and planText bound what is kept: so many plans, and none whose text is longer.
const (
	planLimit = 512
	planText  = 512
)

// planner decodes the operations of patches and remembers the plans that it made. The zero value is ready.
type planner struct {
	known map[string]*plan
	// shapes are the forms that operations had: the text of one whose pointers are all "". What evanphx says of a form
	// holds for every operation of it.
	shapes map[string]opKind
	ops    []operation
	texts  []byte
}

// decode reads a patch of checked text. The operations hold until the next call.
//
// evanphx/json-patch decodes and validates them. It is given each form of operation once, without values (they are
// checked JSON, any JSON is a valid value, and it would parse a large one three times) and without what pointers say
// (to it they are any string). Where it is laxer than the RFCs our own checks follow, see newPlan.
func (p *planner) decode(patch string) ([]operation, *PatchError) {
	if rawjson.KindOf(patch) != rawjson.Array {
		return nil, &PatchError{Index: -1, Reason: "it is not a list of operations"}
	}
	p.ops = p.ops[:0]
	for i, element := range rawjson.Elements(patch) {
		if rawjson.KindOf(element) != rawjson.Object {
			return nil, &PatchError{Index: i, Reason: "it is not an object"}
		}
		var op, path, from, value string
		for key, v := range rawjson.Members(element) {
			switch key.Decode() {
			case "op":
				op = v
			case "path":
				path = v
			case "from":
				from = v
			case "value":
				value = v
			}
		}
		text := p.texts[:0]
		text = append(text, '{')
		text = appendMember(text, "op", op)
		text = appendMember(text, "path", path)
		text = appendMember(text, "from", from)
		if value != "" {
			text = appendMember(text, "value", "0")
		}
		text = append(text, '}')
		p.texts = text[:0]
		pl := p.known[string(text)]
		if pl == nil {
			pl = p.newPlan(text, op, path, from, value != "")
			if len(text) <= planText {
				if p.known == nil || len(p.known) >= planLimit {
					p.known = make(map[string]*plan)
				}
				p.known[string(text)] = pl
			}
		}
		if pl.reason != "" {
			return nil, &PatchError{Index: i, Op: pl.kind.String(), Path: pl.path, Reason: pl.reason}
		}
		p.ops = append(p.ops, operation{pl, value})
	}
	return p.ops, nil
}

func appendMember(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return append(dst, value...)
}

// newPlan decodes and validates one operation, given as text without its value.
func (p *planner) newPlan(text []byte, op, path, from string, hasValue bool) *plan {
	pl := &plan{}
	if rawjson.KindOf(path) == rawjson.Str {
		// Half a surrogate pair stays, which evanphx would turn into U+FFFD.
		pl.path = strings.Clone(rawjson.String(path).Decode())
	}
	if pl.kind = p.kindOf(op, path, from, hasValue); pl.kind == opUnknown {
		pl.kind, pl.reason = malformed(text, path, from, hasValue)
		return pl
	}
	pl.tokens, pl.reason = parsePointer(pl.path)
	if pl.reason == "" && (pl.kind == opMove || pl.kind == opCopy) {
		if pl.fromTokens, pl.reason = parsePointer(strings.Clone(rawjson.String(from).Decode())); pl.reason != "" {
			pl.reason = "from: " + pl.reason
		}
	}
	if pl.reason == "" && pl.kind == opTest && !hasValue {
		pl.reason = "it has no value" // RFC 6902 section 4.6; evanphx lets it pass
	}
	return pl
}

// kindOf asks evanphx what an operation is; opUnknown is a malformed one.
func (p *planner) kindOf(op, path, from string, hasValue bool) opKind {
	shape := append(make([]byte, 0, 64), '[', '{')
	shape = appendMember(shape, "op", op)
	shape = appendMember(shape, "path", blanked(path))
	shape = appendMember(shape, "from", blanked(from))
	if hasValue {
		shape = appendMember(shape, "value", "0")
	}
	shape = append(shape, '}', ']')
	if kind, ok := p.shapes[string(shape)]; ok {
		return kind
	}
	kind := opUnknown
	if ops, err := jsonpatch.DecodePatch(shape); err == nil && len(ops) == 1 {
		kind = opKindOf(ops[0].Kind())
		_, pathErr := ops[0].Path()
		if _, fromErr := ops[0].From(); pathErr != nil || (kind == opMove || kind == opCopy) && fromErr != nil {
			kind = opUnknown
		}
	}
	if len(shape) <= planText {
		if p.shapes == nil || len(p.shapes) >= planLimit {
			p.shapes = make(map[string]opKind)
		}
		p.shapes[string(shape)] = kind
	}
	return kind
}

// blanked gives a pointer's text without what it says.
func blanked(pointer string) string {
	if rawjson.KindOf(pointer) == rawjson.Str {
		return `""`
	}
	return pointer
}

// malformed puts into words why evanphx refused an operation.
func malformed(text []byte, path, from string, hasValue bool) (kind opKind, reason string) {
	op, _ := rawjson.Get(string(text), "op")
	if rawjson.KindOf(op) == rawjson.Str {
		kind = opKindOf(rawjson.String(op).Decode())
	}
	switch {
	case op == "":
		return kind, "it has no op"
	case kind == opUnknown:
		return kind, "the op " + cut(op, 40) + " is unknown"
	case path == "":
		return kind, "it has no path"
	case rawjson.KindOf(path) != rawjson.Str:
		return kind, "its path is not a string"
	case kind == opMove || kind == opCopy:
		if from == "" {
			return kind, "it has no from"
		}
		return kind, "its from is not a string"
	case !hasValue:
		return kind, "it has no value"
	}
	return kind, "it is not a valid operation"
}

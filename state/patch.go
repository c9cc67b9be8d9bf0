package state

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui/rawjson"
)

// PatchError says why a patch (RFC 6902) was refused. The document is as it was before.
type PatchError struct {
	// Index is the operation's place in the patch, from 0; -1 if the patch is not a list of operations at all.
	Index int
	// Op and Path are the operation's, as far as they are known.
	Op, Path string
	// Reason is a plain sentence without its end.
	Reason string
}

// Error implements error.
func (e *PatchError) Error() string {
	if e.Index < 0 {
		return "the patch cannot be applied: " + e.Reason
	}
	s := "operation " + strconv.Itoa(e.Index)
	if e.Op != "" {
		s += " (" + cut(e.Op, 20) + " " + showPath(e.Path) + ")"
	}
	return s + " cannot be applied: " + e.Reason
}

// Patch applies an RFC 6902 patch, all or nothing. The error is a [*PatchError].
// It costs what the patch changes, and once for each level that is opened for the first time, the length of its text.
func (d *Document) Patch(patch string) error {
	if err := rawjson.Check(patch, rawjson.MaxDepth); err != nil {
		return &PatchError{Index: -1, Reason: "it is not JSON: " + err.Error()}
	}
	if err := d.patch(patch, len(patch), nil, nil, nil); err != nil {
		return err
	}
	return nil
}

// patch applies a patch of checked text and records its changes under base. ref is where the patch stands in the event,
// and whole the length of the text that the patch is a part of.
func (d *Document) patch(patch string, whole int, ch *Changes, base, ref []Step) *PatchError {
	if d.plans == nil {
		d.plans = new(planner)
	}
	ops, perr := d.plans.decode(patch)
	if perr != nil {
		return perr
	}
	defer clear(ops) // their values would keep the event
	d.copied, d.walked = 0, 0
	changes, steps := ch.mark()
	for i := range ops {
		op := &ops[i]
		rec := recorder{ch: ch, base: base, ref: ref, op: i}
		before := d.root.size()
		reason := d.apply(op, whole, &rec)
		if reason == "" {
			reason = d.tooLong(before)
		}
		if reason != "" {
			d.rollback()
			ch.cut(changes, steps)
			return &PatchError{Index: i, Op: op.kind.String(), Path: op.path, Reason: reason}
		}
	}
	d.commit()
	return nil
}

// unchanged stands for no change: the value was there already.
const unchanged = Op(255)

// recorder records one operation's changes.
type recorder struct {
	ch        *Changes
	base, ref []Step
	op        int
}

// apply applies one operation; reason is "" where it went well. On failure the caller rolls back.
func (d *Document) apply(op *operation, whole int, rec *recorder) (reason string) {
	switch op.kind {
	case opTest:
		v, reason := d.find(op.tokens)
		if v == nil {
			return reason
		}
		if v.c == nil && len(v.raw) > openFrom+8*len(op.value) {
			if d.walked += len(v.raw) / 16; d.walked > maxSteps {
				return "the patch would read more than it may of long values"
			}
		}
		if !d.equal(v, op.value) {
			return "the value there is another"
		}
		return ""
	case opAdd, opReplace:
		v := value{raw: adopt(op.value, whole)}
		// Each level has at least its two brackets, so that a short text is not looked at.
		levels := len(v.raw) / 2
		if d.deepest > 0 || levels+len(op.tokens) > maxDepth {
			levels = len(op.tokens) + rawLevels(v.raw)
			if levels > maxDepth {
				return "the document would nest too deep"
			}
			if d.deepest > 0 {
				d.deepest = max(d.deepest, levels)
			}
		}
		d.received += len(v.raw)
		code, reason := d.put(op.tokens, v, op.kind == opReplace)
		if reason == "" && code != unchanged {
			rec.value(code, d.steps, op.value)
		}
		return reason
	case opRemove:
		_, reason := d.take(op.tokens)
		if reason == "" {
			rec.plain(Remove, d.steps)
		}
		return reason
	case opMove:
		return d.move(op, rec)
	default:
		return d.copy(op, rec)
	}
}

func (d *Document) move(op *operation, rec *recorder) (reason string) {
	if len(op.fromTokens) < len(op.tokens) && slices.Equal(op.fromTokens, op.tokens[:len(op.fromTokens)]) {
		return "a value cannot be moved into itself"
	}
	v, reason := d.find(op.fromTokens)
	if v == nil {
		return "from: " + reason
	}
	if slices.Equal(op.fromTokens, op.tokens) {
		return ""
	}
	if len(op.tokens) > len(op.fromTokens) {
		if reason = d.tooDeep(v, len(op.tokens), len(op.fromTokens)); reason != "" {
			return reason
		}
	}
	moved, reason := d.take(op.fromTokens)
	if reason != "" {
		return "from: " + reason
	}
	d.from = append(d.from[:0], d.steps...)
	if _, reason = d.put(op.tokens, moved, false); reason != "" {
		return reason
	}
	rec.between(Move, d.steps, d.from)
	return ""
}

// openFrom is how long a text is that is opened before it is copied.
const openFrom = 4096

func (d *Document) copy(op *operation, rec *recorder) (reason string) {
	v, reason := d.find(op.fromTokens)
	if v == nil {
		return "from: " + reason
	}
	d.from = append(d.from[:0], d.steps...)
	if d.copied += v.size(); d.copied > maxCopied {
		return "the patch would copy more than " + strconv.Itoa(maxCopied>>20) + " MB"
	}
	if len(op.tokens) > len(op.fromTokens) {
		if reason = d.tooDeep(v, len(op.tokens), len(op.fromTokens)); reason != "" {
			return reason
		}
	}
	copied := *v
	if len(v.raw) > openFrom {
		if c := d.peek(v); c != nil {
			copied = value{c: c} // so that it is opened once, and not again in each copy
		}
	}
	// Several places may hold one container from here on, so that none may change it in place.
	if copied.c != nil {
		d.owner = new(owner)
	}
	if _, reason = d.put(op.tokens, copied, false); reason != "" {
		return reason
	}
	rec.between(Copy, d.steps, d.from)
	return ""
}

// find looks a value up without owning what is on the way; d.steps is its resolved path. v is nil where there is none.
// It opens in place what is the document's alone: what views share, other goroutines may be reading.
func (d *Document) find(tokens []string) (v *value, reason string) {
	v = &d.root
	o := d.owner
	d.steps = d.steps[:0]
	for _, t := range tokens {
		c := v.c
		if c == nil && o == d.owner {
			c = v.open(o)
		} else if c == nil {
			c = d.peek(v)
		}
		if c == nil {
			return nil, "the value before " + showToken(t) + " is neither an object nor an array"
		}
		i, reason := c.resolve(t)
		if reason != "" {
			return nil, reason
		}
		d.step(c, t, i)
		v, o = c.read(i)
	}
	return v, ""
}

// own opens the container that holds the path's last token and owns all on the way, so that it may be changed.
// The containers on the way are at the end of the trail.
func (d *Document) own(tokens []string) (c *container, reason string) {
	v, o := &d.root, d.owner
	var parent *container
	at := 0
	d.steps = d.steps[:0]
	for n, t := range tokens {
		c = v.open(o)
		if c == nil {
			return nil, "the value before " + showToken(t) + " is neither an object nor an array"
		}
		if c.owner != d.owner {
			if parent == nil {
				d.did(undo{kind: undoRoot, old: *v}, len(d.trail), 0)
			} else {
				d.did(undo{kind: undoSet, c: parent, i: at, old: *v}, len(d.trail), 0)
			}
			c = c.clone(d.owner)
			v.c = c
		}
		d.trail = append(d.trail, c)
		if n == len(tokens)-1 {
			return c, ""
		}
		i, reason := c.resolve(t)
		if reason != "" {
			return nil, reason
		}
		d.step(c, t, i)
		parent, at = c, i
		v, o = c.child(i), c.owner
	}
	return nil, ""
}

func (d *Document) step(c *container, token string, i int) {
	if c.array {
		d.steps = append(d.steps, Index(i))
	} else {
		d.steps = append(d.steps, Key(token))
	}
}

// resolve finds the child that a token names.
func (c *container) resolve(token string) (i int, reason string) {
	if !c.array {
		if i = c.find(token); i < 0 {
			return 0, "there is no member " + showToken(token)
		}
		return i, ""
	}
	i, ok := arrayIndex(token)
	switch {
	case token == "-":
		return 0, "\"-\" names the place after the last element, where nothing is"
	case !ok && !isInteger(token):
		return 0, showToken(token) + " is not an array index"
	case !ok || i >= c.elems.len():
		return 0, "the index " + cut(token, 20) + " is past the end of an array of " + strconv.Itoa(c.elems.len())
	}
	return i, ""
}

// put adds or replaces the value at the path, and tells which change that was; d.steps is the resolved path.
func (d *Document) put(tokens []string, v value, replace bool) (code Op, reason string) {
	trail := len(d.trail)
	if len(tokens) == 0 {
		d.steps = d.steps[:0]
		d.did(undo{kind: undoRoot, old: d.root}, trail, 0)
		d.root = v
		return Assign, ""
	}
	c, reason := d.own(tokens)
	if reason != "" {
		return 0, reason
	}
	last := tokens[len(tokens)-1]
	if c.array && !replace {
		i, ok := arrayIndex(last)
		switch {
		case last == "-":
			i = c.elems.len()
		case !ok && !isInteger(last):
			return 0, showToken(last) + " is not an array index"
		case !ok || i > c.elems.len():
			return 0, "the index " + cut(last, 20) + " is past the end of an array of " + strconv.Itoa(c.elems.len())
		}
		c.elems.insert(i, v, c.owner)
		d.did(undo{kind: undoInsert, c: c, i: i}, trail, v.size()+1)
		d.step(c, last, i)
		return Insert, ""
	}
	if !c.array && !replace && c.find(last) < 0 {
		quoted := rawjson.Quote(last)
		c.push(quoted, last, v)
		d.did(undo{kind: undoPush, c: c}, trail, v.size()+len(quoted)+2)
		d.step(c, last, 0)
		return Assign, ""
	}
	i, reason := c.resolve(last)
	if reason != "" {
		return 0, reason
	}
	child := c.child(i)
	d.step(c, last, i)
	if child.c == nil && child.raw == v.raw && v.c == nil {
		return unchanged, ""
	}
	d.did(undo{kind: undoSet, c: c, i: i, old: *child}, trail, v.size()-child.size())
	*child = v
	return Assign, ""
}

// take removes the value at the path; d.steps is the resolved path.
func (d *Document) take(tokens []string) (v value, reason string) {
	if len(tokens) == 0 {
		return v, "the root cannot be removed"
	}
	trail := len(d.trail)
	c, reason := d.own(tokens)
	if reason != "" {
		return v, reason
	}
	last := tokens[len(tokens)-1]
	i, reason := c.resolve(last)
	if reason != "" {
		return v, reason
	}
	d.step(c, last, i)
	v = *c.child(i)
	if c.array {
		c.elems.remove(i, c.owner)
		d.did(undo{kind: undoDelete, c: c, i: i, old: v}, trail, -v.size()-1)
		return v, ""
	}
	quoted := c.drop(i)
	d.did(undo{kind: undoDrop, c: c, i: i, quoted: quoted, old: v}, trail, -v.size()-len(quoted)-2)
	return v, ""
}

func (r *recorder) value(op Op, path []Step, value string) {
	if r.ch == nil {
		return
	}
	p := r.ch.path(r.base, path)
	if r.ref == nil {
		r.ch.list = append(r.ch.list, change{op: op, path: p, value: value})
		return
	}
	ref := r.ch.put(r.ref, []Step{Index(r.op), Key("value")})
	r.ch.list = append(r.ch.list, change{op: op, path: p, ref: ref})
}

func (r *recorder) plain(op Op, path []Step) {
	if r.ch == nil {
		return
	}
	p := r.ch.path(r.base, path)
	r.ch.list = append(r.ch.list, change{op: op, path: p})
}

func (r *recorder) between(op Op, path, from []Step) {
	if r.ch == nil {
		return
	}
	p := r.ch.path(r.base, path)
	r.ch.list = append(r.ch.list, change{op: op, path: p, ref: r.ch.put(r.base, from)})
}

// adopt takes a part of a larger text: as it is where it is a good part of it, else as a copy, so that a small value
// does not keep a large event in memory.
func adopt(part string, whole int) string {
	if len(part)*4 >= whole {
		return part
	}
	return strings.Clone(part)
}

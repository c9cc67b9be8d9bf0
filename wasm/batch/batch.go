// Package batch writes what one push made as one JSON text: the raw events, the changes that they made to the
// snapshots, warnings and the end. web/docs/architecture.md has the format; web/js/core/mirror.js and queue.js read it.
package batch

import (
	"slices"
	"strconv"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// The kinds of entry.
const (
	kindEvent   = '0'
	kindWarning = '1'
	kindError   = '2'
	kindDone    = '3'
	kindAsk     = '4'
	kindChanges = '5'
	// 6 is the page's own (web/js/core/queue.js).
	kindCaught = '7'
	kindTold   = '8'
)

// ref is added to an operation's code when its value is a path into the entry's event.
const ref = 8

// Paths remembers the path of the last operation that a mirror was given, so that the next one may say 0 for it. All
// batches for one mirror share one Paths. The zero value is ready.
type Paths struct {
	last []state.Step
	own  []state.Step // the memory for a path that cannot be held
}

// Forget makes the next path be written out, for a mirror that begins anew.
func (p *Paths) Forget() { p.last = nil }

// is reports whether the mirror's last path is this one.
func (p *Paths) is(path []state.Step) bool {
	return len(path) > 0 && len(path) == len(p.last) && (&path[0] == &p.last[0] || slices.Equal(path, p.last))
}

func (p *Paths) keep(path []state.Step, held bool) {
	if !held {
		p.own = append(p.own[:0], path...)
		path = p.own
	}
	p.last = path
}

// Batch is a batch under way; [New] makes one.
type Batch struct {
	buf   []byte
	paths *Paths
}

// New makes an empty batch for the mirror that paths belongs to.
func New(paths *Paths) *Batch { return &Batch{paths: paths} }

// Event adds an event and the changes that it made.
func (b *Batch) Event(raw agui.JSON, changes *state.Changes) {
	if path, ok := changes.Growth(); ok && b.paths.is(path) {
		b.comma()
		b.buf = append(b.buf, raw...)
		return
	}
	b.open(kindEvent)
	b.raw(raw)
	b.ops(changes)
}

// Changes adds changes that no event made. It adds nothing where there are none.
func (b *Batch) Changes(changes *state.Changes) {
	if changes.Len() == 0 {
		return
	}
	b.open(kindChanges)
	b.ops(changes)
}

// Whole adds the change that makes value (raw JSON) a whole field of the tree, such as "messages".
func (b *Batch) Whole(field string, value agui.JSON) {
	b.open(kindChanges)
	b.buf = append(b.buf, ",[0,["...)
	b.buf = rawjson.AppendQuote(b.buf, field)
	b.buf = append(b.buf, ']')
	b.raw(value)
	b.buf = append(b.buf, "]]"...)
	b.paths.Forget()
}

// Ask adds an event that waits for a verdict (stepped mode).
func (b *Batch) Ask(raw agui.JSON) {
	b.open(kindAsk)
	b.raw(raw)
	b.close()
}

// AskEnd asks about a RUN_FINISHED. pending are the tool calls that wait for a result if it is applied.
func (b *Batch) AskEnd(raw agui.JSON, pending []string) {
	b.open(kindAsk)
	b.raw(raw)
	b.ids(pending)
}

// Told adds the ids under which the run is remembered that ends with the next event, or with the one that was asked
// about.
func (b *Batch) Told(ids []string) {
	b.open(kindTold)
	b.ids(ids)
}

// ids adds a list of ids and ends the entry.
func (b *Batch) ids(list []string) {
	b.buf = append(b.buf, ",["...)
	for i, id := range list {
		if i > 0 {
			b.buf = append(b.buf, ',')
		}
		b.buf = rawjson.AppendQuote(b.buf, id)
	}
	b.buf = append(b.buf, "]]"...)
}

// Warning adds a warning.
func (b *Batch) Warning(w agui.Warning) {
	b.open(kindWarning)
	b.text(string(w.Code))
	b.text(w.Message)
	if w.Event == "" {
		b.raw("null")
	} else {
		b.raw(w.Event)
	}
	b.close()
}

// Error adds the end of a run that failed.
func (b *Batch) Error(f *Failure) {
	b.open(kindError)
	b.buf = append(b.buf, ',')
	b.buf = f.AppendJSON(b.buf)
	b.close()
}

// Caught adds that what was there before is told: n events of the past.
func (b *Batch) Caught(n int) {
	b.open(kindCaught)
	b.raw(strconv.Itoa(n))
	b.close()
}

// Done adds the end of a run that completed.
func (b *Batch) Done() {
	b.open(kindDone)
	b.close()
}

// Take gives the whole batch, or nil when it is empty, and begins the next one in the same memory: what it gives must
// be used before anything is added.
func (b *Batch) Take() []byte {
	if len(b.buf) == 0 {
		return nil
	}
	out := append(b.buf, ']')
	b.buf = out[:0]
	if cap(out) > 1<<20 {
		b.buf = nil // one large event must not hold its memory for good
	}
	return out
}

// comma begins an entry.
func (b *Batch) comma() {
	if len(b.buf) == 0 {
		b.buf = append(b.buf, '[')
	} else {
		b.buf = append(b.buf, ',')
	}
}

func (b *Batch) open(kind byte) {
	b.comma()
	b.buf = append(b.buf, '[', kind)
}

func (b *Batch) close() { b.buf = append(b.buf, ']') }

func (b *Batch) raw(value string) {
	b.buf = append(b.buf, ',')
	b.buf = append(b.buf, value...)
}

func (b *Batch) text(s string) {
	b.buf = append(b.buf, ',')
	b.buf = rawjson.AppendQuote(b.buf, s)
}

// ops adds the operations and ends the entry.
func (b *Batch) ops(changes *state.Changes) {
	if changes.Len() == 0 {
		b.buf = append(b.buf, ",0]"...)
		return
	}
	b.buf = append(b.buf, ',')
	b.list(changes)
	b.close()
}

func (b *Batch) list(changes *state.Changes) {
	b.buf = append(b.buf, '[')
	for i := range changes.Len() {
		if i > 0 {
			b.buf = append(b.buf, ',')
		}
		b.op(changes.At(i))
	}
	b.close()
}

// AppendOps appends changes as the list of operations that an entry has, outside of a batch: each path is written out
// or is the one before it in the list.
func AppendOps(dst []byte, changes *state.Changes) []byte {
	b := Batch{buf: dst, paths: new(Paths)}
	b.list(changes)
	return b.buf
}

func (b *Batch) op(c state.Change) {
	code := int64(c.Op)
	if len(c.Ref) > 0 {
		code += ref
	}
	b.buf = strconv.AppendInt(b.buf, code, 10)
	b.buf = append(b.buf, ',')
	if b.paths.is(c.Path) {
		b.buf = append(b.buf, '0')
	} else {
		b.buf = appendPath(b.buf, c.Path)
		b.paths.keep(c.Path, c.Held)
	}
	b.buf = append(b.buf, ',')
	switch {
	case len(c.Ref) > 0:
		b.buf = appendPath(b.buf, c.Ref)
	case c.Op == state.Move || c.Op == state.Copy:
		b.buf = appendPath(b.buf, c.From)
	case c.Value == "":
		b.buf = append(b.buf, '0')
	default:
		b.buf = append(b.buf, c.Value...)
	}
}

func appendPath(dst []byte, path []state.Step) []byte {
	dst = append(dst, '[')
	for i, s := range path {
		if i > 0 {
			dst = append(dst, ',')
		}
		if s.IsIndex {
			dst = strconv.AppendInt(dst, int64(s.Index), 10)
		} else {
			dst = rawjson.AppendQuote(dst, s.Key)
		}
	}
	return append(dst, ']')
}

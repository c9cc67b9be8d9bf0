package state

// Op is a change's operation, as the page's mirror of the snapshots numbers it.
type Op uint8

// The operations.
const (
	// Assign sets the member or element at the path.
	Assign Op = iota
	// Insert puts the value into the array, before the index that ends the path.
	Insert
	// Remove takes the member or element at the path away.
	Remove
	// Append adds text to the string at the path; a value that is not a string counts as "".
	Append
	// Move takes the value at From away and puts it at the path: inserted into an array, assigned in an object.
	Move
	// Copy puts the value at From at the path likewise.
	Copy
	// Arrange makes a new array for the one at the path: a number keeps the element of that old index, [v] is a new
	// element v.
	Arrange
)

// Step is one step of a path: an array's index where IsIndex, else an object's key.
type Step struct {
	// Key is the decoded key (WTF-8, see package rawjson).
	Key string
	// Index is the array index.
	Index int
	// IsIndex says that the step is an index.
	IsIndex bool
}

// Key makes a step into an object.
func Key(key string) Step { return Step{Key: key} }

// Index makes a step into an array.
func Index(i int) Step { return Step{Index: i, IsIndex: true} }

// Change is one recorded change. Its slices belong to the [Changes] and hold until Reset.
//
// Paths begin at the tree
//
//	{messages, state, stateInSync, interrupts, outcome, result, usage, pendingToolCallIds, aliases}
//
// and are resolved: an index is a number (never "-"), and it counts at the time of the change, after the changes before
// it.
type Change struct {
	Op   Op
	Path []Step
	// Held says that nobody writes to Path any more: it may be kept beyond Reset.
	Held bool
	// Value is the value as raw JSON where Ref is nil: for Append the text as a JSON string, for Arrange the array.
	Value string
	// Ref is where the value stands inside the event that made the change; nil if it does not.
	Ref []Step
	// From is the source path of Move and Copy.
	From []Step
}

// Changes records what events do to the tree, in order. It is made to be used again: Reset keeps its memory, so that
// recording a text event allocates nothing. A nil *Changes records nothing. The zero value is ready.
type Changes struct {
	list  []change
	steps []Step
}

type change struct {
	op    Op
	held  bool
	delta bool // its value is the event's delta
	path  []Step
	ref   []Step // of Move and Copy: from
	value string
}

// deltaRef is where a growing string's new text stands in its event.
var deltaRef = []Step{{Key: "delta"}}

// keepChanges is the number of changes whose memory Reset keeps.
const keepChanges = 4096

// Reset forgets the changes and keeps the memory.
func (c *Changes) Reset() {
	if c == nil {
		return
	}
	if _, ok := c.Growth(); ok {
		c.list = c.list[:0] // it holds nothing that would have to be let go
		return
	}
	if cap(c.list) > keepChanges || cap(c.steps) > 8*keepChanges {
		c.list, c.steps = nil, nil // one huge patch should not stay for good
		return
	}
	clear(c.list)
	clear(c.steps)
	c.list, c.steps = c.list[:0], c.steps[:0]
}

// Len gives the number of changes.
func (c *Changes) Len() int {
	if c == nil {
		return 0
	}
	return len(c.list)
}

// At gives the i-th change.
func (c *Changes) At(i int) Change {
	ch := &c.list[i]
	out := Change{Op: ch.op, Path: ch.path, Held: ch.held, Value: ch.value}
	if ch.op == Move || ch.op == Copy {
		out.From = ch.ref
	} else {
		out.Ref = ch.ref
	}
	return out
}

// Growth reports that all the change there is is a string that grew by the event's delta, and gives its path, which is
// held. That is what most events do.
func (c *Changes) Growth() (path []Step, ok bool) {
	if c == nil || len(c.list) != 1 {
		return nil, false
	}
	ch := &c.list[0]
	if ch.op != Append || !ch.delta {
		return nil, false
	}
	return ch.path, true
}

// mark and cut take back what a failed patch recorded.
func (c *Changes) mark() (changes, steps int) {
	if c == nil {
		return 0, 0
	}
	return len(c.list), len(c.steps)
}

func (c *Changes) cut(changes, steps int) {
	if c == nil {
		return
	}
	c.list, c.steps = c.list[:changes], c.steps[:steps]
}

// put stores the steps of a and b as one path.
func (c *Changes) put(a, b []Step) []Step {
	at := len(c.steps)
	c.steps = append(c.steps, a...)
	c.steps = append(c.steps, b...)
	return c.steps[at:len(c.steps):len(c.steps)]
}

// path stores a path, or points at the last change's where it is the same.
func (c *Changes) path(a, b []Step) []Step {
	if n := len(c.list); n > 0 {
		if last := c.list[n-1].path; equalSteps(last, a, b) {
			return last
		}
	}
	return c.put(a, b)
}

func equalSteps(s, a, b []Step) bool {
	if len(s) != len(a)+len(b) {
		return false
	}
	for i := len(s) - 1; i >= 0; i-- {
		o := &s[i]
		var p *Step
		if i < len(a) {
			p = &a[i]
		} else {
			p = &b[i-len(a)]
		}
		if o.Index != p.Index || o.IsIndex != p.IsIndex || o.Key != p.Key {
			return false
		}
	}
	return true
}

// add records a change with a raw value.
func (c *Changes) add(op Op, path []Step, value string) {
	if c == nil {
		return
	}
	c.list = append(c.list, change{op: op, path: c.path(path, nil), value: value})
}

// addRef records a change whose value stands in the event.
func (c *Changes) addRef(op Op, path, ref []Step) {
	if c == nil {
		return
	}
	c.list = append(c.list, change{op: op, path: c.path(path, nil), ref: c.put(ref, nil)})
}

// addDelta records that the event's delta is put (Assign) or appended (Append) at the path, which is held.
func (c *Changes) addDelta(op Op, path []Step) {
	if c == nil {
		return
	}
	c.list = append(c.list, change{op: op, held: true, delta: true, path: path, ref: deltaRef})
}

package rejoin

import (
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// Codes of a line that is lost. They stand beside agui's error codes.
const (
	// CodeRefused: the server answered with something else than the run: it has started anew.
	CodeRefused agui.Code = "resume_refused"
	// CodeGone: the server does not have the run any more.
	CodeGone agui.Code = "resume_gone"
	// CodeNoProgress: several legs in turn brought nothing new.
	CodeNoProgress agui.Code = "no_progress"
	// CodeNotResumable: the connection broke, and nothing that was handed out says how to come back.
	CodeNotResumable agui.Code = "not_resumable"
	// CodeBusy: the thread has a run already.
	CodeBusy agui.Code = "busy"
)

// WarnReplayDiffers is the code of the warning that a replay says something else than what was handed out.
const WarnReplayDiffers agui.WarningCode = "replay_differs"

// Out is an event that was placed: it goes into the run's pipeline.
type Out struct {
	Data string
	// ID and Event are the frame's, where it is handed on as it came.
	ID, Event string
	// Synthetic says that the event was made or shortened here.
	Synthetic bool
	// History says that the event tells of what was there before this page came: no news.
	History bool
}

// Options configure a [Run].
type Options struct {
	Dialect         *Dialect
	ThreadID, RunID string
	Strict          bool
	// Live is the conversation that the emitted events are applied to, at once.
	Live *state.Store
	// Join says that the first leg reads a thread and answers no POST of this page.
	Join bool
	// At is where a page that was loaded anew had come in the run; with Join, and where it has a cursor, the run goes
	// on from there.
	At Point
	// MaxEventBytes limits an event; 0 is no limit.
	MaxEventBytes int
	// Ready says that all that was handed out is applied; while it is not, frames wait until [Run.Continue]. nil is
	// always.
	Ready func() bool
	// NewID makes ids for what comes without one; nil numbers them.
	NewID func() string
	Emit  func(Out)
	Warn  func(agui.Warning)
}

// Verdict says what the end of a leg means.
type Verdict struct {
	// Ended: the run has ended, as far as this leg can tell.
	Ended bool
	// Again: the rest is to be read by another leg.
	Again bool
	// Code says why the line is lost, where neither holds.
	Code agui.Code
	// Progress reports that this leg handed out something new.
	Progress bool
	// Retry is the floor of the next wait that the server set, in ms; -1 is none.
	Retry int
}

// maxSilent is how many legs may tell nothing before another one says that the server has nothing to tell: to WebKit a
// body that breaks off in front of its first byte is one that ends well.
const maxSilent = 2

// Run is one logical run over all its legs.
type Run struct {
	o       Options
	shape   Shape
	in      reader
	waiting []frame
	leg     int // 1 is the first
	first   bool
	retry   int
	index   rawjson.Index

	progress int
	placed   int  // events of this leg that could be placed
	unplaced bool // an event of this leg could not
	broken   bool // a transport's abort stood in for the end of the leg
	silent   int  // how many legs in turn ended well and told nothing
	code     agui.Code
	active   bool // a run is under way in what was handed out
	several  bool // the response brought more than one run
	history  bool // what is handed out was there before this page came
	ended    bool // a terminal event was handed out, and nothing says that more comes
	goesOn   bool // it was one that the run goes on after

	cursor string
	seen   map[uint64]uint64 // by the cursor's sum, the event's

	runID    string // that the server answers under
	threadID string

	meaning
}

// NewRun makes a run without a leg.
func NewRun(o Options) *Run {
	if o.Emit == nil {
		o.Emit = func(Out) {}
	}
	if o.Warn == nil {
		o.Warn = func(agui.Warning) {}
	}
	if o.Live == nil {
		o.Live = state.New(nil, "")
	}
	r := &Run{o: o, seen: map[uint64]uint64{}, runID: o.RunID, threadID: o.ThreadID}
	if o.At.Cursor != "" {
		r.runID, r.threadID = o.At.RunID, o.At.ThreadID
	}
	if o.Join {
		r.leg = 1 // nothing was handed out, and nothing that comes is the answer to a POST
	}
	return r
}

// Begin begins a leg. The bytes of the one before are forgotten.
func (r *Run) Begin(shape Shape) {
	r.leg++
	r.shape, r.first, r.retry = shape, true, -1
	r.progress, r.placed, r.unplaced, r.broken, r.code = 0, 0, false, false, ""
	r.in.reset(r.o.MaxEventBytes)
	r.waiting = nil
	r.beginMeaning()
}

// Write takes bytes of the leg. It reports false where the leg is to be closed: [Run.End] says why.
func (r *Run) Write(chunk []byte) bool {
	if r.closed() {
		return false
	}
	r.PickUp()
	if !r.in.write(chunk, r.frame) && r.code == "" {
		r.code = agui.CodeEventTooLarge
	}
	return !r.closed()
}

func (r *Run) closed() bool { return r.code != "" || r.broken }

// Quiet says that no byte has come for a moment: what a replay has brought so far stands.
func (r *Run) Quiet() { r.settle(false) }

// End ends the leg. clean says that the body ended well; a cut one never counts as the run's end by itself.
func (r *Run) End(clean bool) Verdict {
	if clean && !r.closed() {
		r.PickUp()
		r.in.end(r.lastFrame)
	}
	r.settle(true)
	v := Verdict{Progress: r.progress > 0, Retry: r.retry}
	switch {
	case r.code != "":
		v.Code = r.code
	case r.ended && !(r.goesOn && !clean), r.goesOn && clean && !r.broken:
		v.Ended = true
	case r.leg > 1 && r.shape == ByCursor && r.unplaced && r.placed == 0:
		v.Code = CodeRefused
	case r.shape == ByCursor && r.cursor == "" && !r.o.Join:
		v.Code = CodeNotResumable
	case r.o.Join && clean && !r.active:
		v.Ended = true
	case r.leg == 1 && clean && r.shape == ByReplay && r.progress == 0:
		v.Code = CodeBusy // CopilotKit's answer where a run of the thread is under way: 200, and nothing
	case r.leg > 1 && clean && r.shape == ByReplay && !r.told && r.silent >= maxSilent:
		v.Code = CodeGone
	default:
		v.Again = true
	}
	if r.silent++; !clean || r.told {
		r.silent = 0
	}
	return v
}

// Cursor gives the cursor of the last event that was handed out, or "".
func (r *Run) Cursor() string { return r.cursor }

// RunID and ThreadID give the ids that the server answers under.
func (r *Run) RunID() string { return r.runID }

// ThreadID gives the thread's id as the server knows it.
func (r *Run) ThreadID() string { return r.threadID }

// Attach gives the request for the next leg, or the code that says why there is none.
func (r *Run) Attach(c Context) (Request, agui.Code) {
	c.Cursor, c.RunID, c.ThreadID = r.cursor, r.runID, r.threadID
	if r.o.Dialect.Attach == nil {
		return Request{}, CodeNotResumable
	}
	q, ok := r.o.Dialect.Attach(c)
	if !ok {
		return Request{}, CodeNotResumable
	}
	return q, ""
}

// lastFrame takes a frame that ended without its blank line. Its last line may be cut, so nothing counts of it but a
// whole terminal event, and that is not a cursor: the rest would be sent again.
func (r *Run) lastFrame(f frame) {
	if !f.hasData || rawjson.Check(f.data, rawjson.MaxDepth) != nil {
		return
	}
	if r.leg == 1 && (r.shape != ByCursor || r.cursor == "") {
		r.frame(f) // nothing will be read again by a cursor
		return
	}
	if t := r.typeOf(f.data); t == agui.TypeRunFinished || t == agui.TypeRunError {
		f.hasID = false
		r.frame(f)
	}
}

func (r *Run) typeOf(data string) agui.Type {
	if kind, err := r.index.Parse(data, rawjson.MaxDepth); err != nil || kind != rawjson.Object {
		return ""
	}
	return agui.Type(r.text("type"))
}

// runType gives the type of an event of the run itself (RUN_...), and "" for most others: it does not look into them.
func (r *Run) runType(data string) agui.Type {
	if strings.Contains(data, "RUN_") || strings.IndexByte(data, '\\') >= 0 { // an escape may be in the type
		return r.typeOf(data)
	}
	return ""
}

// text gives a string member of the event that was parsed last.
func (r *Run) text(key string) string {
	v, ok := r.index.Get(key)
	if !ok || rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}

// member gives a string member of an event, or "".
func member(data, key string) string {
	v, ok := rawjson.Get(data, key)
	if !ok || rawjson.KindOf(v) != rawjson.Str {
		return ""
	}
	return rawjson.String(v).Decode()
}

// Continue takes the frames that waited.
func (r *Run) Continue() {
	for len(r.waiting) > 0 && r.ready() {
		f := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.one(f)
	}
}

func (r *Run) ready() bool { return r.o.Ready == nil || r.o.Ready() }

func (r *Run) frame(f frame) {
	if f.retry {
		r.retry = f.wait
	}
	if len(r.waiting) > 0 || !r.ready() {
		r.waiting = append(r.waiting, f)
		return
	}
	r.one(f)
}

func (r *Run) one(f frame) {
	if r.closed() {
		return
	}
	if f.hasData && r.first && r.leg == 1 && r.o.Dialect == &agno && r.shape == ByCursor && !Marked(f.data) {
		r.shape = BySnapshot // a server without cursors: only /reattach can read the rest
		r.beginMeaning()
	}
	if r.shape == ByCursor && !r.joining {
		r.place(f)
	} else if f.hasData {
		r.understand(f)
	}
	if f.hasData {
		r.first = false
	}
}

// hand hands an event out.
func (r *Run) hand(t agui.Type, o Out) {
	switch t {
	case agui.TypeRunStarted:
		r.several = r.several || r.ended || r.goesOn
		r.active, r.ended, r.goesOn = true, false, false
		if id := member(o.Data, "runId"); id != "" {
			r.runID = id
		}
		if id := member(o.Data, "threadId"); id != "" {
			r.threadID = id
		}
		o.Data = r.withoutOurs(o.Data)
	case agui.TypeRunFinished, agui.TypeRunError:
		r.active = false
		// A response that brought several runs may bring another; one that broke off behind its only run has ended.
		r.goesOn = r.several || r.o.Dialect.GoesOn != nil && r.o.Dialect.GoesOn(o.Data)
		r.ended = !r.goesOn
	default:
		if !r.active && r.ended && !o.Synthetic {
			r.several, r.goesOn, r.ended = true, true, false // the response goes on behind its run's end
		}
	}
	r.progress++
	o.History = r.history
	r.o.Emit(o)
}

// withoutOurs takes those user messages out of a RUN_STARTED's input that are ours under another id: same place, same
// text.
func (r *Run) withoutOurs(data string) string {
	input, ok := rawjson.Get(data, "input")
	if !ok || rawjson.KindOf(input) != rawjson.Object {
		return data
	}
	list, ok := rawjson.Get(input, "messages")
	if !ok || rawjson.KindOf(list) != rawjson.Array {
		return data
	}
	out, dropped := []byte{'['}, false
	for i, raw := range rawjson.Elements(list) {
		if rawjson.KindOf(raw) == rawjson.Object && r.isOurs(i, raw) {
			dropped = true
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	if !dropped {
		return data
	}
	return rawjson.Set(data, "input", rawjson.Set(input, "messages", string(append(out, ']'))))
}

func (r *Run) isOurs(i int, raw string) bool {
	role, _ := rawjson.Get(raw, "role")
	if role != `"user"` || i >= r.o.Live.Len() {
		return false
	}
	m := r.o.Live.Message(i)
	id, _ := rawjson.Get(raw, "id")
	content, _ := rawjson.Get(raw, "content")
	return m.Role() == agui.RoleUser && id != quote(m.WireID()) && rawjson.KindOf(content) != rawjson.None &&
		rawjson.Equal(content, m.Field("content"))
}

package rejoin

import (
	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// meaning is what a run knows of what was handed out, and of the leg at hand, where events are placed by what they
// mean.
//
// Each leg has a pipeline of its own that makes whole sequences of it, so that a leg may begin anywhere. Its events go
// into a shadow: the conversation as the leg tells it. What is new in them goes on, shortened by what was handed out
// before; the shadow is needed where the leg tells of other runs, or tells it otherwise.
type meaning struct {
	pipe   *agui.Pipeline
	before state.Snapshot
	kept   bool // before holds the conversation as this run began

	delivered *ledger // of the run that is followed
	replayed  *ledger // the same run, as this leg tells it
	shadow    *state.Store
	ours      bool // the leg is at the run that is followed
	told      bool // the shadow holds something
	stateTold bool // the shadow's state is the server's word
	differs   bool // the leg tells it otherwise than it was handed out
	warned    bool
	emptied   bool // the leg said that the thread has no messages

	picks bool // the run goes on from a cursor that was kept, as soon as the server answers

	// Of a join, until what was there is handed out as a whole.
	joining  bool
	start    string // the last run's RUN_STARTED
	terminal agui.Event
	end      string // terminal's data

	alias    map[string]string // the leg's message ids, where they differ from ours
	snapshot bool              // a snapshot was merged on this leg
	base     string            // the state that the run that is joined began with, where the thread was loaded
	opened   map[entity]bool   // what the leg's pipeline has open behind it
}

func (r *Run) beginMeaning() {
	if r.delivered == nil {
		r.delivered = newLedger()
		r.before, r.kept = r.o.Live.Snapshot(), true
		r.picks = r.o.At.Cursor != "" && r.shape == ByCursor
		r.joining = r.o.Join && !r.picks
	}
	if r.shape == ByCursor && !r.joining {
		r.pipe = nil
		return
	}
	r.replayed, r.shadow = newLedger(), state.New(nil, r.base)
	r.ours = r.leg == 1
	r.told, r.stateTold, r.snapshot, r.alias, r.opened = false, false, false, nil, map[entity]bool{}
	r.emptied = false
	var known agui.Known = r.shadow
	if r.leg == 1 {
		known = r.o.Live
	}
	r.pipe = agui.NewPipeline(agui.Options{
		Strict: r.o.Strict && r.leg == 1, ThreadID: r.threadID, RunID: r.runID, Known: known, NewID: r.o.NewID,
		ReuseEvents: true, Emit: r.take, Warn: r.o.Warn,
	})
}

// understand takes a frame of a leg whose events are placed by meaning.
func (r *Run) understand(f frame) {
	if r.snapshot {
		r.openFirst(f.data)
	}
	if err := r.pipe.Push(f.data); err != nil {
		if !r.joining {
			r.hand("", Out{Data: f.data, ID: f.id, Event: f.event}) // the run's own pipeline says what is wrong
		}
		r.code = agui.CodeOf(err)
	}
}

// take takes an event of the leg's pipeline.
func (r *Run) take(ev agui.Event) bool {
	raw := ev.Common().Raw
	o := Out{Data: raw}
	switch {
	case r.leg == 1:
		r.goOn(ev, o)
	case r.joining:
		r.gather(ev)
	case r.shape == BySnapshot:
		r.fromSnapshot(ev, o)
	default:
		r.fromReplay(ev, o)
	}
	return !r.closed()
}

// goOn hands out an event that is new, and notes it.
func (r *Run) goOn(ev agui.Event, o Out) {
	t := ev.EventType()
	if t == agui.TypeRunStarted && !(r.delivered.started && r.active) {
		r.delivered = newLedger()
		r.delivered.started = true
	}
	r.delivered.note(ev)
	r.hand(t, o)
}

// fromReplay places an event of a leg that tells the thread's runs again.
func (r *Run) fromReplay(ev agui.Event, o Out) {
	if start, ok := ev.(*agui.RunStarted); ok {
		if start.RunID == r.runID {
			if r.told {
				r.addHistory()
			}
			r.ours, r.replayed = true, newLedger()
			if r.kept && !r.stateTold {
				r.shadow.SetState(liveState(r.before), nil)
			}
		} else if r.ours && !r.active {
			r.ours = true // a further run of the same response
		} else {
			r.ours = false
		}
		r.shadow.Apply(ev, nil, nil)
		if !r.ours || start.RunID == r.runID && r.delivered.started {
			r.told = true
			return
		}
		r.goOn(ev, o)
		return
	}
	r.shadow.Apply(ev, nil, nil)
	r.told = true
	switch ev.EventType() {
	case agui.TypeStateSnapshot, agui.TypeStateDelta:
		r.stateTold = true
	}
	if !r.ours {
		return
	}
	if snap, ok := ev.(*agui.MessagesSnapshot); ok && len(snap.Messages) == 0 && len(r.replayed.entities) == 0 &&
		len(r.delivered.entities) > 0 {
		r.emptied = true // the server knows nothing of the thread: that takes nothing away
		return
	}
	if t := ev.EventType(); terminal(t) {
		if r.emptied && len(r.replayed.entities) == 0 {
			r.code = CodeGone // it greets a thread that is new to it; the run did not end so
			return
		}
		if r.ended || r.delivered.finished {
			return
		}
		if r.differs {
			r.correct()
		}
		r.goOn(ev, o)
		return
	}
	r.fresh(ev, o)
}

// fresh hands out what of an event was not handed out before.
func (r *Run) fresh(ev agui.Event, o Out) {
	e, s, delta := meaningOf(ev)
	if s == other || s == grows && delta == "" {
		key := countKey(ev)
		if r.replayed.counts[key]++; r.replayed.counts[key] <= r.delivered.counts[key] {
			return
		}
		if snap, ok := ev.(*agui.StateSnapshot); ok && r.o.Live.StateInSync() &&
			rawjson.Equal(snap.Snapshot, string(r.o.Live.AppendState(nil))) {
			r.delivered.counts[key]++
			return
		}
		r.goOn(ev, o)
		return
	}
	was, now := r.delivered.at(e), r.replayed.at(e)
	switch s {
	case opens:
		now.starts++
		if e.kind == 'c' && !continues(ev) && now.starts <= was.starts {
			now.text = now.text[:0]
		}
		if now.starts > was.starts && !was.open() {
			r.goOn(ev, o)
		}
	case closes:
		if now.ends++; now.ends > was.ends && was.open() {
			r.goOn(ev, o)
		}
	case grows:
		from := len(now.text)
		now.text = append(now.text, delta...)
		had := min(len(now.text), len(was.text))
		if from < had && string(now.text[from:had]) != string(was.text[from:had]) {
			r.differs = true
		}
		if r.differs || len(now.text) <= len(was.text) {
			return
		}
		if !was.open() {
			name, _ := rawjson.Get(o.Data, "toolCallName")
			r.synthetic(opening(e, name))
			was.starts++
		}
		if rest := string(now.text[max(from, len(was.text)):]); rest != delta {
			o = Out{Data: rawjson.Set(o.Data, "delta", quote(rest)), Synthetic: true}
			was.text = append(was.text, rest...)
			r.hand(ev.EventType(), o)
			return
		}
		r.goOn(ev, o)
	}
}

func (r *Run) synthetic(data string) {
	r.hand(agui.Type(member(data, "type")), Out{Data: data, Synthetic: true})
}

// correct hands out the shadow as it stands, for it says something else than what was handed out.
func (r *Run) correct() {
	r.differs = false
	if !r.warned {
		r.warned = true
		r.o.Warn(agui.Warning{Code: WarnReplayDiffers,
			Message: "the server's replay says something else than it said before; it was taken over"})
	}
	r.handMessages(merge(r.o.Live, r.shadow, nil, false))
	if r.stateTold {
		r.handState()
	}
	for e, now := range r.replayed.entities {
		was := r.delivered.at(e)
		was.text = append(was.text[:0], now.text...)
	}
}

// addHistory hands out what the shadow knows of earlier runs and this page does not.
func (r *Run) addHistory() {
	if lacks(r.o.Live, r.shadow) {
		r.handMessages(merge(r.o.Live, r.shadow, nil, true))
	}
}

// settle takes what the leg told so far as all that there was.
func (r *Run) settle(end bool) {
	switch {
	case r.pipe == nil:
	case r.joining && r.told:
		r.join()
	case r.differs && r.leg > 1:
		r.correct()
	case end && r.told && !r.ours && r.leg > 1 && r.shape == ByReplay && !r.snapshot:
		r.addHistory() // the run that is followed is not there: others may be
	}
}

func (r *Run) handState() {
	value := string(r.shadow.AppendState(nil))
	if r.o.Live.StateInSync() && rawjson.Equal(value, string(r.o.Live.AppendState(nil))) {
		return
	}
	r.synthetic(`{"type":"STATE_SNAPSHOT","snapshot":` + value + `}`)
}

func (r *Run) handMessages(list []string) {
	out := []byte(`{"type":"MESSAGES_SNAPSHOT","messages":[`)
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, m...)
	}
	r.synthetic(string(append(out, "]}"...)))
}

// liveState gives the state that a snapshot of the conversation holds.
func liveState(n state.Snapshot) string {
	s := state.New(nil, "")
	s.Restore(n, nil)
	return string(s.AppendState(nil))
}

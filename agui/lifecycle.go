package agui

import (
	"strconv"
	"strings"
)

// The rules about runs, steps and subagents (section 6). The run's beginning and end are judged in Pipeline.judge.

func (p *Pipeline) stepStarted(e *StepStarted) *Error {
	key := stepOf(e.SubagentRunID, e.StepName)
	if p.run.steps[key] {
		if err := p.broken(stepPairs, "STEP_STARTED names the step "+quoted(e.StepName)+" of "+
			ownerName(e.SubagentRunID)+", which is open"); err != nil {
			return err
		}
	}
	if p.run.steps == nil {
		p.run.steps = map[step]bool{}
	}
	p.run.steps[key] = true
	p.emit(e)
	return nil
}

func (p *Pipeline) stepFinished(e *StepFinished) *Error {
	key := stepOf(e.SubagentRunID, e.StepName)
	if !p.run.steps[key] {
		if err := p.broken(stepPairs, "STEP_FINISHED names the step "+quoted(e.StepName)+" of "+
			ownerName(e.SubagentRunID)+", which is not open"); err != nil {
			return err
		}
	}
	delete(p.run.steps, key)
	p.emit(e)
	return nil
}

func (p *Pipeline) subagentStarted(e *SubagentStarted) *Error {
	isActive, known := p.run.subagents[e.ID]
	what := ""
	switch {
	case isActive:
		what = ", which is active"
	case known:
		what = ", which has already ended in this run"
	case e.ParentSubagentRunID != nil:
		if _, ok := p.run.subagents[*e.ParentSubagentRunID]; !ok {
			what = " under the subagent " + quoted(*e.ParentSubagentRunID) + ", which is not known in this run"
		}
	}
	if what != "" {
		if err := p.broken(subagentPairs, "SUBAGENT_STARTED names the subagent "+quoted(e.ID)+what); err != nil {
			return err
		}
	}
	if p.run.subagents == nil {
		p.run.subagents = map[string]bool{}
	}
	if !isActive {
		p.run.active++
	}
	p.run.subagents[strings.Clone(e.ID)] = true
	p.emit(e)
	return nil
}

func (p *Pipeline) subagentEnded(ev Event, id string) *Error {
	if p.run.subagents[id] {
		p.run.subagents[id] = false
		p.run.active--
	} else if err := p.broken(subagentPairs, string(ev.EventType())+" names the subagent "+quoted(id)+
		", which is not active"); err != nil {
		return err
	}
	p.emit(ev)
	return nil
}

// newer warns of a version of the protocol that is newer than ours, or that cannot be read; the run is read as usual
// (section 8).
func (p *Pipeline) newer(version Text) {
	if version == "" || *p.o.NewerTold {
		return
	}
	is := version.Decode()
	first, rest, dot := strings.Cut(is, ".")
	if !dot {
		rest = "0"
	}
	second, _, _ := strings.Cut(rest, ".")
	major, minor := wholeNumber(first), wholeNumber(second)
	what := "the agent speaks version " + excerpt(is, 40) + " of the protocol, which is newer than " + ProtocolVersion
	switch {
	case major < 0 || minor < 0:
		what = "the agent names a version of the protocol that cannot be read, " + quoted(is)
	case major == 0 || major == 1 && minor == 0:
		return
	}
	*p.o.NewerTold = true
	p.warn(Warning{Code: WarnNewerProtocol, Message: what + "; its events are read as usual", Event: p.raw})
}

// wholeNumber reads decimal digits; -1 is none.
func wholeNumber(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

func (p *Pipeline) runStarted(e *RunStarted) *Error {
	p.newer(e.ProtocolVersion)
	if p.phase == active {
		if err := p.broken(oneRun, "RUN_STARTED came inside an active run"); err != nil {
			return err
		}
	} else {
		if p.late {
			p.endOpen()
		}
		p.phase, p.late, p.runError, p.run, p.think = active, false, nil, tables{}, thinking{}
	}
	p.seed(e.InputMessages, false)
	p.emit(e)
	return nil
}

func (p *Pipeline) runFinished(e *RunFinished) *Error {
	if r := &p.run; r.open > 0 || len(r.steps) > 0 || r.active > 0 {
		if err := p.broken(finishClosed, "RUN_FINISHED came while "+r.stillOpen()+" was open"); err != nil {
			return err
		}
		p.endOpen()
	}
	p.phase, p.late = finished, false
	p.emit(e)
	return nil
}

// endOpen makes ENDs for what is open, in opening order: text messages, tool calls, reasoning messages, then spans.
func (p *Pipeline) endOpen() {
	r := &p.run
	if r.open > 0 {
		for _, e := range r.text.opened() {
			p.emit(madeTextEnd(e.id, e.owner))
		}
		for _, e := range r.calls.opened() {
			end := madeToolEnd(e.id, e.owner)
			end.Incomplete = true
			p.emit(end)
		}
		for _, e := range r.reasoning.opened() {
			p.emit(madeReasoningMessageEnd(e.id, e.owner))
		}
		for _, e := range r.reasoning.openedSpans() {
			p.emit(madeReasoningEnd(e.id, e.owner))
		}
	}
	r.forgetOpen()
}

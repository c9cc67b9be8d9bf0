package agui

import (
	"strconv"

	"aguiwasm/agui/proto"
)

// PushProto takes one message of the protocol's protobuf encoding (see package proto) in the place of [Pipeline.Push].
// The event goes on as its JSON text, under the same rules. A message that gives no event is a malformed one (section
// 6); one that holds an event of a later version, whose name the wire does not tell, is passed over with a warning
// unknown_event. message is not kept.
func (p *Pipeline) PushProto(message []byte) error {
	if p.err != nil {
		return p.err
	}
	if p.stopped {
		return nil
	}
	json, dropped, fault := proto.AppendEvent(p.message[:0], message)
	p.message = json
	if fault == nil {
		if dropped > 0 && !p.o.DecodeOnly {
			p.warn(Warning{Code: WarnUnknownEvent, Event: string(json), Message: strconv.Itoa(dropped) +
				" content part(s) of a kind that this version does not know were left out: the encoding does not tell its name"})
		}
		return p.Push(string(json))
	}
	if fault.Unknown {
		if !p.o.DecodeOnly && !p.told.future {
			p.told.future = true
			p.warn(Warning{Code: WarnUnknownEvent, Message: fault.Error() +
				"; it was passed over: the encoding does not tell its name"})
		}
		return nil
	}
	p.raw, p.d.typ, p.d.retired = "", Type(fault.Type), ""
	err := &Error{Code: CodeBadEvent, Message: fault.Error()}
	if !p.o.DecodeOnly {
		err = p.malformed(err)
	}
	if err != nil && !p.stopped {
		p.err = err
		return err
	}
	return nil
}

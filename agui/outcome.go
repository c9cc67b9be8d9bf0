package agui

import (
	"strconv"

	"aguiwasm/agui/rawjson"
)

// outcome reads RUN_FINISHED's outcome. unknown says that its type is none that the protocol knows; such an outcome is
// kept.
func (r *reader) outcome(value JSON) (o Outcome, unknown *fault, f *fault) {
	o.Raw = value
	typ, _ := rawjson.Get(value, "type")
	if rawjson.KindOf(typ) == rawjson.Str {
		o.Kind = rawjson.String(typ).Decode()
	}
	switch o.Kind {
	case "success":
		ids, _ := rawjson.Get(value, "pendingToolCallIds")
		if o.PendingToolCallIDs, f = stringList(ids, "pendingToolCallIds"); len(o.PendingToolCallIDs) == 0 {
			o.PendingToolCallIDs = nil // a list of none names none: the calls are derived
		}
		o.Raw = dropNulls(value, "pendingToolCallIds")
	case "interrupt":
		list, _ := rawjson.Get(value, "interrupts")
		if rawjson.KindOf(list) != rawjson.Array {
			return o, nil, &fault{path: "interrupts", got: list, want: "an array"}
		}
		edit := newArrayEdit(list)
		for i, v := range rawjson.Elements(list) {
			r.in, r.at = "outcome.interrupts", i
			in, f := r.interrupt(v)
			if f != nil && f.lost && !r.strict && r.bad != nil {
				r.bad(f.at(i).under("outcome.interrupts")) // the other questions are asked all the same
				edit.drop()
				continue
			}
			if f != nil {
				return o, nil, f.at(i).under("interrupts")
			}
			o.Interrupts = append(o.Interrupts, in)
			edit.add(v, in.Raw)
		}
		if len(o.Interrupts) == 0 {
			f = &fault{path: "interrupts", got: list, want: "an array of at least one interrupt"}
			if !r.strict && r.odd != nil {
				r.odd(f.under("outcome"))
				f = nil
			}
		}
		if now := edit.done(); now != list {
			o.Raw = rawjson.Set(value, "interrupts", now)
		}
	case "cancelled":
	default:
		unknown = &fault{path: "type", got: typ, want: oneOf("success", "interrupt", "cancelled")}
	}
	return o, unknown, f
}

// interrupt reads one interrupt, nulls out.
func (r *reader) interrupt(value JSON) (in Interrupt, f *fault) {
	if rawjson.KindOf(value) != rawjson.Object {
		return in, &fault{got: value, want: "an interrupt object", lost: true}
	}
	var id, reason, expires JSON
	r.ix.Read(value)
	nulls := false
	for _, e := range r.ix.Members {
		key, v := e.Key.Decode(), e.Value
		nulls = nulls || v == "null"
		switch key {
		case "id":
			id = v
		case "reason":
			reason = v
		case "expiresAt":
			expires = v
		}
	}
	f = requireString(id, "id")
	if f != nil {
		f.lost = true
		return in, f
	}
	noReason := requireString(reason, "reason")
	if noReason != nil && !r.strict && r.bad != nil {
		r.odd(noReason.at(r.at).under(r.in))
		if reason != "" {
			value = rawjson.Edit(value, func(key rawjson.String, v string) (string, bool) {
				return v, key.Decode() != "reason"
			})
		}
		reason = `"input_required"`
		noReason = nil
	}
	f = firstFault(noReason, optionalString(expires, "expiresAt"))
	for _, key := range [...]string{"message", "toolCallId"} {
		v, _ := r.ix.Get(key)
		f = firstFault(f, optionalString(v, key))
	}
	for _, key := range [...]string{"responseSchema", "metadata"} {
		v, _ := r.ix.Get(key)
		f = firstFault(f, optionalObject(v, key))
	}
	switch owner, ok := r.ix.Get("subagentRunId"); {
	case f != nil:
	case owner == "null":
		f = r.nullOwner()
	case ok:
		f = requireString(owner, "subagentRunId")
	}
	if f != nil {
		return in, f
	}
	in = Interrupt{ID: rawjson.String(id).Decode(), Reason: rawjson.String(reason).Decode(), Raw: value}
	if !absent(expires) {
		in.ExpiresAt = rawjson.String(expires).Decode()
	}
	if nulls {
		in.Raw = dropNulls(value, "message", "toolCallId", "responseSchema", "expiresAt", "metadata", "subagentRunId")
	}
	return in, nil
}

// usage reads a list of TokenUsage, nulls out.
func usage(value JSON) (out JSON, f *fault) {
	if absent(value) {
		return "", nil
	}
	if rawjson.KindOf(value) != rawjson.Array {
		return value, &fault{path: "usage", got: value, want: "an array"}
	}
	edit := newArrayEdit(value)
	for i, entry := range rawjson.Elements(value) {
		if rawjson.KindOf(entry) != rawjson.Object {
			return value, (&fault{got: entry, want: "an object"}).at(i).under("usage")
		}
		for _, key := range [...]string{"provider", "model"} {
			v, _ := rawjson.Get(entry, key)
			f = firstFault(f, optionalString(v, key))
		}
		for _, key := range usageCounts {
			if v, _ := rawjson.Get(entry, key); !absent(v) && (!isInteger(v) || isNegative(v)) {
				f = firstFault(f, &fault{path: key, got: v, want: "a whole number, 0 or more"})
			}
		}
		if f != nil {
			return value, f.at(i).under("usage")
		}
		edit.add(entry, dropNulls(entry, append([]string{"provider", "model"}, usageCounts[:]...)...))
	}
	return edit.done(), nil
}

var usageCounts = [...]string{"inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens",
	"cacheWriteInputTokens"}

// isNegative reports whether an integer is below 0; -0 is not.
func isNegative(v JSON) bool {
	x, err := strconv.ParseFloat(v, 64)
	return err == nil && x < 0
}

// stringList reads an optional array of strings.
func stringList(value JSON, path string) (out []string, f *fault) {
	if absent(value) {
		return nil, nil
	}
	if rawjson.KindOf(value) != rawjson.Array {
		return nil, &fault{path: path, got: value, want: "an array of strings"}
	}
	out = []string{}
	for i, v := range rawjson.Elements(value) {
		if f := requireString(v, ""); f != nil {
			return nil, f.at(i).under(path)
		}
		out = append(out, rawjson.String(v).Decode())
	}
	return out, nil
}

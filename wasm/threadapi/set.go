package threadapi

import (
	"slices"
	"strconv"
	"strings"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// set takes over what the page has changed.
func (r *Registry) set(e *Entry, args *args) (string, error) {
	store := e.Store()
	var ch state.Changes
	if list, ok := args.Get("messages"); ok {
		base, merge := args.Get("base")
		if added, ok := r.added(store, list); ok {
			for _, m := range added {
				store.AddMessage(m, &ch)
			}
		} else {
			messages, err := r.arrange(store, list, base, merge)
			if err != nil {
				return "", err
			}
			store.SetMessages(messages, &ch)
		}
	}
	if patch, ok := args.Get("patch"); ok {
		for _, operation := range rawjson.Elements(patch) {
			// One by one: what came while the page did not look may have taken a member away that the page takes away
			// too.
			_ = store.PatchState("["+operation+"]", &ch)
		}
	}
	if value, ok := args.Get("state"); ok {
		store.SetState(strings.Clone(value), &ch) // it would keep the messages beside it in memory
	}
	if list, ok := args.Get("interrupts"); ok {
		interrupts, err := openInterrupts(list)
		if err != nil {
			return "", err
		}
		store.SetInterrupts(interrupts, &ch)
	}
	if args.get("changes") == "true" {
		return e.ops(&ch), nil
	}
	return `{"ops":` + e.corrections(args.get("messages")) + "}", nil
}

// answers puts tool messages behind their calls, but for those of calls that are answered or gone.
func (r *Registry) answers(e *Entry, args *args) (string, error) {
	messages, err := r.messages(args.get("messages"))
	if err != nil {
		return "", err
	}
	var ch state.Changes
	e.Restate(messages, &ch)
	return e.ops(&ch), nil
}

// added gives the messages that the page has put behind all that the thread has, where it did nothing else: what an
// agent's addMessage does, which must not cost what the conversation costs. false: it did more, or a message is one to
// look at closely.
func (r *Registry) added(store *state.Store, list string) (added []agui.Message, ok bool) {
	n := 0
	for i, item := range rawjson.Elements(list) {
		n++
		if i < store.Len() {
			if rawjson.KindOf(item) != rawjson.Str || rawjson.String(item).Decode() != store.Message(i).ID() {
				return nil, false
			}
			continue
		}
		if rawjson.KindOf(item) != rawjson.Object {
			return nil, false
		}
		// A text of its own: the message keeps it, and would keep the whole list.
		one, err := r.messages("[" + item + "]")
		if err != nil || len(one) != 1 || one[0].Role == agui.RoleTool || len(one[0].ToolCalls) > 0 || one[0].ID == "" {
			return nil, false
		}
		m := one[0]
		if _, there := store.Find(m.ID); there ||
			slices.ContainsFunc(added, func(other agui.Message) bool { return other.ID == m.ID }) {
			return nil, false
		}
		added = append(added, m)
	}
	return added, n >= store.Len()
}

// arrange makes the list of messages that the page asks for: an id keeps the message that has it, an object is checked.
// In a merge, messages that are not in base came while the page did not look, and stay at the end.
func (r *Registry) arrange(store *state.Store, list, base string, merge bool) ([]agui.Message, error) {
	at := make(map[string]int, store.Len())
	for i := range store.Len() {
		at[store.Message(i).ID()] = i
	}
	// With the page's ids: the agent's may stand twice.
	text := func(i int) string { return string(store.Message(i).AppendJSON(nil)) }
	known := map[string]bool{}
	for _, id := range rawjson.Elements(base) {
		known[rawjson.String(id).Decode()] = true
	}
	var parts []string
	for _, item := range rawjson.Elements(list) {
		if rawjson.KindOf(item) != rawjson.Str {
			parts = append(parts, item)
			continue
		}
		id := rawjson.String(item).Decode()
		known[id] = true
		if i, ok := at[id]; ok {
			parts = append(parts, text(i))
		}
	}
	if merge {
		for i := range store.Len() {
			if !known[store.Message(i).ID()] {
				parts = append(parts, text(i))
			}
		}
	}
	return r.messages("[" + strings.Join(parts, ",") + "]")
}

// corrections compares what the conversation holds with what the page was given and says where they differ.
func (e *Entry) corrections(list string) string {
	store := e.Store()
	dst := []byte{'['}
	n := 0
	for i, item := range rawjson.Elements(list) {
		if i >= store.Len() {
			break
		}
		m := store.Message(i)
		if rawjson.KindOf(item) == rawjson.Str {
			if rawjson.String(item).Decode() == m.ID() {
				continue
			}
		} else if holds := string(m.AppendJSON(nil)); holds == item || rawjson.Equal(holds, item) {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, `0,["messages",`...)
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, "],"...)
		dst = m.AppendJSON(dst)
	}
	if n > 0 {
		e.Paths.Forget() // the page's last path is one of these now
	}
	return string(append(dst, ']'))
}

// openInterrupts checks interrupts that the page remembered.
func openInterrupts(list string) (out []agui.Interrupt, err error) {
	for i, raw := range rawjson.Elements(list) {
		raw = strings.Clone(raw) // a part of what came would keep all of it in memory
		in := agui.Interrupt{ID: str(member(raw, "id")), Reason: str(member(raw, "reason")),
			ExpiresAt: str(member(raw, "expiresAt")), Raw: raw}
		if rawjson.KindOf(raw) != rawjson.Object || rawjson.KindOf(member(raw, "id")) != rawjson.Str {
			return nil, refuse("pendingInterrupts[" + strconv.Itoa(i) + "].id must be a string")
		}
		out = append(out, in)
	}
	return out, nil
}

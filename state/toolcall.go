package state

import (
	"slices"
	"strings"

	"aguiwasm/agui/rawjson"
)

// call is a tool call of an assistant message.
type call struct {
	owner  *owner
	id     string
	wire   string // the agent's id where it differs, or ""
	name   rawjson.String
	raw    string
	fields []field
	fn     []field // the members of "function"
	args   Text    // once opened
	meta   *Document
}

// newCall makes a call as TOOL_CALL_START gives it.
func newCall(o *owner, id string, name rawjson.String) *call {
	id = strings.Clone(id)
	name = rawjson.String(strings.Clone(string(name)))
	return &call{
		owner: o, id: id, name: name,
		fields: []field{{`"id"`, string(rawjson.Quote(id)), rawPart}, {`"type"`, `"function"`, rawPart},
			{`"function"`, "", functionPart}},
		fn: []field{{`"name"`, string(name), rawPart}, {`"arguments"`, "", textPart}},
	}
}

// open splits the call's text into fields.
func (c *call) open() {
	if c.fields != nil {
		return
	}
	c.fields = make([]field, 0, 4)
	for key, raw := range rawjson.Members(c.raw) {
		f := field{canonical(key), raw, rawPart}
		switch f.name {
		case `"function"`:
			f.part = functionPart
		case `"metadata"`:
			f.part = metaPart
		}
		if i := fieldAt(c.fields, f.name); i >= 0 {
			c.fields[i] = f
		} else {
			c.fields = append(c.fields, f)
		}
	}
	for i := range c.fields {
		f := &c.fields[i]
		switch f.part {
		case metaPart:
			c.meta = NewDocument(f.raw)
		case functionPart:
			for key, raw := range rawjson.Members(f.raw) {
				g := field{canonical(key), raw, rawPart}
				if g.name == `"arguments"` {
					g.part = textPart
				}
				if j := fieldAt(c.fn, g.name); j >= 0 {
					c.fn[j] = g
				} else {
					c.fn = append(c.fn, g)
				}
			}
			if j := fieldAt(c.fn, `"arguments"`); j < 0 {
				c.fn = append(c.fn, field{`"arguments"`, "", textPart})
			} else if g := &c.fn[j]; rawjson.KindOf(g.raw) == rawjson.Str {
				c.args.Append(rawjson.String(g.raw))
				g.raw = ""
			}
		default:
			continue
		}
		f.raw = ""
	}
	c.raw = ""
}

func (c *call) clone(o *owner) *call {
	n := *c
	n.owner = o
	n.fields, n.fn = slices.Clone(c.fields), slices.Clone(c.fn)
	n.args = c.args.fork()
	n.meta = forkDocument(c.meta)
	return &n
}

// wireID gives the agent's id of the call.
func (c *call) wireID() string {
	if c.wire != "" {
		return c.wire
	}
	return c.id
}

func (c *call) appendJSON(dst []byte) []byte { return c.append(dst, false) }

func (c *call) append(dst []byte, wire bool) []byte {
	if c.fields == nil {
		return append(dst, c.raw...)
	}
	dst = append(dst, '{')
	for i := range c.fields {
		f := &c.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.name...)
		dst = append(dst, ':')
		switch f.part {
		case metaPart:
			dst = c.meta.AppendJSON(dst)
		case functionPart:
			dst = append(dst, '{')
			for j := range c.fn {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = append(dst, c.fn[j].name...)
				dst = append(dst, ':')
				if c.fn[j].part == textPart {
					dst = c.args.AppendJSON(dst)
				} else {
					dst = append(dst, c.fn[j].raw...)
				}
			}
			dst = append(dst, '}')
		default:
			if wire && c.wire != "" && f.name == `"id"` {
				dst = rawjson.AppendQuote(dst, c.wire)
				continue
			}
			dst = append(dst, f.raw...)
		}
	}
	return append(dst, '}')
}

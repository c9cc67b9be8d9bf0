package agui

import "aguiwasm/agui/rawjson"

// DecodeInput checks the body of a request as a server gets it: a whole RunAgentInput (section 2). What [ParseInput]
// would make up for a person is asked of a client: threadId, runId, messages, tools and context must be there, and each
// message its id. The error is an [*Error] with code bad_input whose message names the field.
func DecodeInput(body string) (*Input, error) {
	if err := rawjson.Check(body, rawjson.MaxDepth); err != nil {
		return nil, badInput("The body must be JSON: " + err.Error())
	}
	text := rawjson.Compact(body)
	if rawjson.KindOf(text) != rawjson.Object {
		return nil, badInput("The body must be a RunAgentInput, an object, but is " + rawjson.KindOf(text).String())
	}
	for _, name := range [...]string{"threadId", "runId", "messages", "tools", "context"} {
		if v, _ := rawjson.Get(text, name); absent(v) {
			return nil, badInput(name + " is missing.")
		}
	}
	messages, _ := rawjson.Get(text, "messages")
	if rawjson.KindOf(messages) == rawjson.Array {
		for i, m := range rawjson.Elements(messages) {
			if id, _ := rawjson.Get(m, "id"); rawjson.KindOf(m) == rawjson.Object && absent(id) {
				return nil, badInput((&fault{path: "id", want: "a string"}).at(i).under("messages").text())
			}
		}
	}
	in, f := parseInput(text, InputOptions{}.reader())
	if f != nil {
		return nil, badInput(f.text())
	}
	return in, nil
}

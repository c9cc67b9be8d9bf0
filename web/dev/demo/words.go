package demo

import (
	"fmt"
	"slices"
	"strings"

	"aguiwasm/agui"
)

func help(t *talk) error {
	var b strings.Builder
	b.WriteString("This agent shows each part of the AG-UI protocol. Say one of these words:\n\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "- **%s**: %s\n", s.Name, s.Title)
	}
	b.WriteString("\nAnything else is answered with text.")
	t.text(b.String())
	return nil
}

func echo(t *talk) error {
	words := strings.TrimSpace(t.words)
	if runes := []rune(words); len(runes) > 200 {
		words = string(runes[:200]) + "…"
	}
	opening := []string{"You said", "I read", "I understand"}[t.rand.IntN(3)]
	said := "nothing"
	if words != "" {
		said = "“" + words + "”"
	}
	answer := opening + " " + said +
		". There is no model behind this agent: it plays parts of the protocol. Say **help** to see what it can show."
	if _, kinds := content(last(t.in)); len(kinds) > 0 {
		answer += " With your message came: " + strings.Join(kinds, ", ") + "."
	}
	t.pause(250)
	t.text(answer)
	return nil
}

const markdown = "## Text comes in pieces\n\n" +
	"Each piece is a `TEXT_MESSAGE_CONTENT` event. The page adds its *delta* to the message, so the words **appear as they are made**.\n\n" +
	"1. `RUN_STARTED` opens the run\n2. `TEXT_MESSAGE_START` names the message\n3. many deltas follow\n4. `RUN_FINISHED` closes it\n\n" +
	"```js\nagui.run({ messages }).subscribe({\n  next: (event) => console.log(event.type),\n});\n```\n\n" +
	"> A quotation, and a [link](https://docs.ag-ui.com).\n\n" +
	"| part | events |\n|---|---|\n| text | START, CONTENT, END |\n| tools | START, ARGS, END, RESULT |\n\n" +
	"Other scripts too: 世界, Ελλάδα, עברית, नमस्ते, 👩‍🚀.\n"

func text(t *talk) error {
	t.pause(250)
	t.text(markdown)
	return nil
}

func reasoning(t *talk) error {
	t.pause(200)
	id :=
		t.think(
			"The person wants to see reasoning. A train of 240 m passes a pole in 12 s, so it runs at 20 m/s. To pass a bridge of 360 m it must move 600 m, which takes 30 s. I should answer briefly.")
	t.send(agui.NewReasoningEncryptedValue("message", id, "b3BhcXVlLXRvLXRoZS1wYWdl"))
	t.pause(200)
	t.text("It takes **30 seconds**. (The reasoning above came first, with a value that only the provider can read.)")
	return nil
}

func chunks(t *talk) error {
	// chunk sends pieces as chunks of one kind; fields stand in the first.
	chunk := func(ms int, pieces []string, fields []agui.Field, send func(fields ...agui.Field)) {
		for _, piece := range pieces {
			t.pause(ms)
			send(append(fields, agui.WithText("delta", piece))...)
			fields = nil
		}
	}
	text := func(fields ...agui.Field) { t.send(agui.NewTextMessageChunk(fields...)) }
	t.pause(150)
	id := t.ID()
	chunk(32,
		t.fragments(
			"These words came as chunks: one event type in the place of three. The first names the message, the others only carry text. "),
		[]agui.Field{agui.WithText("messageId", id), agui.WithText("role", "assistant")}, text)
	callID := t.ID()
	chunk(60, []string{`{"from":`, ` "EUR", `, `"to": "JPY"`, `}`},
		[]agui.Field{agui.WithText("toolCallId", callID), agui.WithText("toolCallName", "exchange_rate"),
			agui.WithText("parentMessageId", id)},
		func(fields ...agui.Field) { t.send(agui.NewToolCallChunk(fields...)) })
	t.pause(300)
	t.answer(callID, `{"rate": 163.2}`)
	chunk(30, t.fragments("163.2 yen for one euro."), []agui.Field{agui.WithText("messageId", t.ID())},
		func(fields ...agui.Field) { t.send(agui.NewReasoningMessageChunk(fields...)) })
	chunk(60, []string{"One euro is ", "163.2 yen."}, []agui.Field{agui.WithText("messageId", t.ID())}, text)
	return nil
}

func steps(t *talk) error {
	for _, step := range []struct{ name, text string }{
		{"collect", "I collect what is known. "},
		{"compare", "I compare the offers. "},
		{"decide", "I decide: the second one."},
	} {
		t.keep(t.Step(step.name, func() error {
			t.pause(350)
			t.text(step.text)
			return t.err
		}))
	}
	return nil
}

func usage(t *talk) error {
	t.keep(t.Custom("model", obj{"name": "demo-1", "context": 8192}))
	t.pause(150)
	t.send(agui.NewRaw(`{"object":"chat.completion.chunk","index":0}`, agui.WithText("source", "demo")))
	t.text("This run ends with a result and with what it used.", agui.With("metadata", `{"model":"demo-1"}`))
	in := 120 + len(t.words)
	t.keep(t.Result(obj{"answered": true, "words": 11}))
	return t.Usage([]any{obj{"provider": "demo", "model": "demo-1", "inputTokens": in, "outputTokens": 24,
		"totalTokens": in + 24}})
}

// history sends the conversation anew, with a summary in front of it.
func history(t *talk) error {
	const said = "I keep a summary and the last message."
	t.pause(200)
	id := t.text(said)
	list := []any{obj{"id": t.ID(), "role": "system",
		"content": fmt.Sprintf("Summary: %d messages before.", len(t.in.Messages))}}
	for _, m := range slices.Backward(t.in.Messages) {
		if m.Role == agui.RoleUser {
			list = append(list, obj{"id": m.ID, "role": "user", "content": t.words})
			break
		}
	}
	t.pause(400)
	t.send(agui.NewMessagesSnapshot(encode(append(list, obj{"id": id, "role": "assistant", "content": said}))))
	return nil
}

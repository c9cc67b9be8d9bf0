package demo

import (
	"fmt"
	"strings"
)

func help(t *talk) end {
	var b strings.Builder
	b.WriteString("This agent shows each part of the AG-UI protocol. Say one of these words:\n\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "- **%s**: %s\n", s.Name, s.Title)
	}
	b.WriteString("\nAnything else is answered with text.")
	t.text(b.String())
	return end{}
}

func echo(t *talk) end {
	words := strings.TrimSpace(t.in.words())
	if runes := []rune(words); len(runes) > 200 {
		words = string(runes[:200]) + "…"
	}
	opening := []string{"You said", "I read", "I understand"}[t.rand.IntN(3)]
	said := "nothing"
	if words != "" {
		said = "“" + words + "”"
	}
	answer := opening + " " + said + ". There is no model behind this agent: it plays parts of the protocol. Say **help** to see what it can show."
	if last := t.in.last(); len(last.parts) > 0 {
		answer += " With your message came: " + strings.Join(last.parts, ", ") + "."
	}
	t.pause(250)
	t.text(answer)
	return end{}
}

const markdown = "## Text comes in pieces\n\n" +
	"Each piece is a `TEXT_MESSAGE_CONTENT` event. The page adds its *delta* to the message, so the words **appear as they are made**.\n\n" +
	"1. `RUN_STARTED` opens the run\n2. `TEXT_MESSAGE_START` names the message\n3. many deltas follow\n4. `RUN_FINISHED` closes it\n\n" +
	"```js\nagui.run({ messages }).subscribe({\n  next: (event) => console.log(event.type),\n});\n```\n\n" +
	"> A quotation, and a [link](https://docs.ag-ui.com).\n\n" +
	"| part | events |\n|---|---|\n| text | START, CONTENT, END |\n| tools | START, ARGS, END, RESULT |\n\n" +
	"Other scripts too: 世界, Ελλάδα, עברית, नमस्ते, 👩‍🚀.\n"

func text(t *talk) end {
	t.pause(250)
	t.text(markdown)
	return end{}
}

func reasoning(t *talk) end {
	t.pause(200)
	id := t.think("The person wants to see reasoning. A train of 240 m passes a pole in 12 s, so it runs at 20 m/s. To pass a bridge of 360 m it must move 600 m, which takes 30 s. I should answer briefly.")
	t.send("REASONING_ENCRYPTED_VALUE", "subtype", "message", "entityId", id, "encryptedValue", "b3BhcXVlLXRvLXRoZS1wYWdl")
	t.pause(200)
	t.text("It takes **30 seconds**. (The reasoning above came first, with a value that only the provider can read.)")
	return end{}
}

func chunks(t *talk) end {
	t.pause(150)
	id := t.id("m")
	for i, piece := range t.fragments("These words came as chunks: one event type in the place of three. The first names the message, the others only carry text. ") {
		t.pause(32)
		if i == 0 {
			t.send("TEXT_MESSAGE_CHUNK", "messageId", id, "role", "assistant", "delta", piece)
		} else {
			t.send("TEXT_MESSAGE_CHUNK", "delta", piece)
		}
	}
	callID := t.id("c")
	for i, piece := range []string{`{"from":`, ` "EUR", `, `"to": "JPY"`, `}`} {
		t.pause(60)
		if i == 0 {
			t.send("TOOL_CALL_CHUNK", "toolCallId", callID, "toolCallName", "exchange_rate", "parentMessageId", id, "delta", piece)
		} else {
			t.send("TOOL_CALL_CHUNK", "delta", piece)
		}
	}
	t.pause(300)
	t.answer(callID, `{"rate": 163.2}`)
	r := t.id("r")
	for i, piece := range t.fragments("163.2 yen for one euro.") {
		t.pause(30)
		if i == 0 {
			t.send("REASONING_MESSAGE_CHUNK", "messageId", r, "delta", piece)
		} else {
			t.send("REASONING_MESSAGE_CHUNK", "delta", piece)
		}
	}
	second := t.id("m")
	t.send("TEXT_MESSAGE_CHUNK", "messageId", second, "delta", "One euro is ")
	t.pause(60)
	t.send("TEXT_MESSAGE_CHUNK", "messageId", second, "delta", "163.2 yen.")
	return end{}
}

func steps(t *talk) end {
	for _, step := range []struct{ name, text string }{
		{"collect", "I collect what is known. "},
		{"compare", "I compare the offers. "},
		{"decide", "I decide: the second one."},
	} {
		t.send("STEP_STARTED", "stepName", step.name)
		t.pause(350)
		t.text(step.text)
		t.send("STEP_FINISHED", "stepName", step.name)
	}
	return end{}
}

func usage(t *talk) end {
	t.send("CUSTOM", "name", "model", "value", obj{"name": "demo-1", "context": 8192})
	t.pause(150)
	t.send("RAW", "event", obj{"object": "chat.completion.chunk", "index": 0}, "source", "demo")
	t.text("This run ends with a result and with what it used.", "metadata", obj{"model": "demo-1"})
	in := 120 + len(t.in.words())
	return end{
		result: obj{"answered": true, "words": 11},
		usage:  []any{obj{"provider": "demo", "model": "demo-1", "inputTokens": in, "outputTokens": 24, "totalTokens": in + 24}},
	}
}

// history sends the conversation anew, with a summary in front of it.
func history(t *talk) end {
	t.pause(200)
	id := t.text("I keep a summary and the last message.")
	var user message
	for _, m := range t.in.messages {
		if m.role == "user" {
			user = m
		}
	}
	list := []any{obj{"id": t.id("m"), "role": "system", "content": fmt.Sprintf("Summary: %d messages before.", len(t.in.messages))}}
	if user.id != "" {
		list = append(list, obj{"id": user.id, "role": "user", "content": user.text})
	}
	list = append(list, obj{"id": id, "role": "assistant", "content": "I keep a summary and the last message."})
	t.pause(400)
	t.send("MESSAGES_SNAPSHOT", "messages", list)
	return end{}
}

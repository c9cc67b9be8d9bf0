package ui

import (
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/vnode"
)

func elements(n *vnode.Node) (count int) {
	walk(n, func(k *vnode.Node) {
		if k.Tag != "" {
			count++
		}
	})
	return count
}

// TestPortions shows messages that ask for far more elements than a page can take: a part in each frame, the most at
// the end, and more when a person asks.
func TestPortions(t *testing.T) {
	rep := strings.Repeat
	text := func(s string) string { return `"content":` + string(rawjson.Quote(s)) }
	for name, body := range map[string]string{
		"a table":    text("|" + rep("a|", 300) + "\n|" + rep("-|", 300) + "\n" + rep("|"+rep("b|", 300)+"\n", 300)),
		"paragraphs": text(rep("a\n\n", 20000)),
		"links":      text(rep("[a](https://e.example/x) ", 20000)),
		"items":      text(rep("- a\n", 20000)),
		"calls": `"toolCalls":[` +
			strings.TrimSuffix(rep(`{"id":"c","type":"function","function":{"name":"x","arguments":"{}"}},`, 5000),
				",") + `]`,
		"parts": `"content":[` + strings.TrimSuffix(
			rep(`{"type":"text","text":"a"},{"type":"image","source":{"type":"url","value":"https://e.example/x"}},`,
				5000), ",") + `]`,
	} {
		u := screen(t, `{"ids":["m"],"set":[{"id":"m","role":"assistant",`+body+`}]}`)
		last := elements(u.root())
		if last > 1000 {
			t.Errorf("%s: %d elements at once", name, last)
		}
		frames := 0
		for ; u.Grows() && frames < 1000; frames++ {
			u.Grow()
			n := elements(u.root())
			if n > last+1000 || n < last {
				t.Errorf("%s: from %d to %d elements in one frame", name, last, n)
			}
			last = n
		}
		if frames < 5 || last < 200 || last > 8000 {
			t.Errorf("%s: %d elements after %d frames", name, last, frames)
		}
		if find(u.root(), "more") == nil {
			t.Errorf("%s: no button for the rest", name)
		}
		u.More("m")
		for u.root(); u.Grows(); u.root() {
			u.Grow()
		}
		if n := elements(u.root()); n < last+150 {
			t.Errorf("%s: %d elements, and %d when asked for more", name, last, n)
		}
	}
}

// TestManyChoices shows the first ones of an enum that no list can hold, and takes what is written.
func TestManyChoices(t *testing.T) {
	var b strings.Builder
	for i := range 50000 {
		b.WriteString(`,"v` + itoa(i) + `"`)
	}
	u :=
		screen(t,
			`{"interrupts":[{"id":"i","reason":"input","message":"Which?","responseSchema":{"type":"object","properties":{"v":{"enum":[`+b.String()[1:]+`]}}}}]}`)
	if n := elements(u.root()); n > 300 {
		t.Errorf("%d elements", n)
	}
	form := u.Form(&u.Chat.Run.Interrupts[0])
	if got, problems := form.Answer([]string{" v49999"}); got != `{"v":"v49999"}` || problems != nil {
		t.Errorf("got %s %v", got, problems)
	}
	if _, problems := form.Answer([]string{"v50000"}); len(problems) != 1 || problems[0].Label != "invalid" {
		t.Errorf("a value that is no choice: %v", problems)
	}
}

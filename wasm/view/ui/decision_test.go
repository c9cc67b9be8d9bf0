package ui

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
	"aguiwasm/wasm/view/vnode"
)

// A yes and a no mean what the schema's property says that its true means.
func TestSenseOfAVerdict(t *testing.T) {
	for _, tt := range []struct{ properties, yes, no string }{
		{`{"reject":{"type":"boolean"}}`, `{"reject":false}`, `{"reject":true}`},
		{`{"isDenied":{"type":"boolean"},"why":{"type":"string"}}`, `{"isDenied":false}`, `{"isDenied":true}`},
		{`{"not_approved":{"type":"boolean"}}`, `{"not_approved":false}`, `{"not_approved":true}`},
		{`{"do_not_block":{"type":"boolean"}}`, `{"do_not_block":true}`, `{"do_not_block":false}`},
		{`{"userCancelled":{"type":"boolean"},"approve":{"type":"boolean"}}`, `{"approve":true}`, `{"approve":false}`},
		{`{"notify":{"type":"boolean"},"decline":{"type":"boolean"}}`, `{"decline":false}`, `{"decline":true}`},
		{`{"go":{"type":"boolean"}}`, `{"go":true}`, `{"go":false}`},
	} {
		in := &model.Interrupt{ID: "i", Schema: `{"type":"object","properties":` + tt.properties + `}`}
		for _, yes := range []bool{true, false} {
			got, want := Decide(in, yes, "", ""), tt.no
			if yes {
				want = tt.yes
			}
			if got != want {
				t.Errorf("%s: %v says %s, want %s", tt.properties, yes, got, want)
			}
			if approves(in, &Draft{Status: "resolved", Payload: got}) != yes {
				t.Errorf("%s: %s counts as the opposite", tt.properties, got)
			}
		}
	}
}

func asking(t *testing.T, arguments string, interrupts string) *UI {
	return screen(t,
		fmt.Sprintf(
			`{"ids":["a"],"set":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"pay","arguments":%s}}]}],"interrupts":%s}`,
			rawjson.Quote(arguments), interrupts))
}

// Nothing of what is approved is hidden: long texts, many entries, deep values, long names.
func TestApprovalsShowEverything(t *testing.T) {
	long := strings.Repeat("x", 4500) + "HIDDEN"
	many := "[" + strings.Repeat("1,", 150) + `"HIDDEN"]`
	deep := strings.Repeat(`{"a":`, 9) + `"` + strings.Repeat("y", 500) + `HIDDEN"` + strings.Repeat("}", 9)
	rows := "[" + strings.Repeat(`{"a":1,"b":2},`, 150) + `{"a":1,"b":"HIDDEN"}]`
	for name, arguments := range map[string]string{
		"a long text": `{"to":"` + long + `"}`, "many entries": `{"list":` + many + `}`,
		"many members": `{` + strings.Repeat(`"k":1,`, 150) + `"z":"HIDDEN"}`,
		"deep values":  deep, "a table": rows, "a long name": `{"` + strings.Repeat("n", 90) + `HIDDEN":1}`,
		"no JSON": long,
		"many small lists": `{"l":[` + strings.Repeat(`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],`, 99) +
			`["HIDDEN"]]}`,
	} {
		u := asking(t, arguments, `[{"id":"i","reason":"tool_call","toolCallId":"c"}]`)
		if card := find(u.root(), "card"); card == nil || !strings.Contains(words(card), "HIDDEN") {
			t.Errorf("%s: the end is not shown", name)
		}
	}
	u := asking(t, `{"to":"x"}`, `[{"id":"i","reason":"tool_call","toolCallId":"c"}]`)
	if find(find(u.root(), "card"), "whole") != nil {
		t.Error("what is shown whole is shown twice")
	}
}

// Interrupts of one id are one question: an answer names the id alone.
func TestInterruptsOfOneID(t *testing.T) {
	u :=
		asking(t, `{}`,
			`[{"id":"i","reason":"confirmation","message":"first"},{"id":"j","message":"other"},{"id":"i","message":"second"}]`)
	cards := 0
	walk(u.root(), func(n *vnode.Node) {
		if strings.HasPrefix(n.Class, "card ") || n.Class == "card" {
			cards++
			if w := words(n); strings.Contains(w, "first") != strings.Contains(w, "second") {
				t.Errorf("one card says %q", w)
			}
		}
	})
	if cards != 2 {
		t.Errorf("%d cards", cards)
	}
	for _, id := range []string{"i", "j"} {
		d := u.Draft(id)
		d.Done, d.Status = true, "cancelled"
	}
	if got, want := u.Answers(),
		`[{"interruptId":"i","status":"cancelled"},{"interruptId":"j","status":"cancelled"}]`; got != want {
		t.Errorf("the answers are %s", got)
	}
}

// Each element that another one names by id is there, whatever an interrupt's id holds.
func TestIDsOfCards(t *testing.T) {
	u :=
		asking(t, `{}`,
			`[{"id":"an id with spaces","message":"x","reason":"input_required","responseSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"d"}}}},{"id":"\t","message":"y"}]`)
	u.Draft("an id with spaces").Problems = []model.Problem{{Field: 0, Label: "required"}}
	ids := map[string]bool{}
	root := u.root()
	walk(root, func(n *vnode.Node) {
		if id, ok := n.Attr("id"); ok {
			if ids[id] || strings.ContainsAny(id, " \t") {
				t.Errorf("the id %q", id)
			}
			ids[id] = true
		}
	})
	named := 0
	walk(root, func(n *vnode.Node) {
		for _, name := range []string{"aria-labelledby", "aria-describedby", "for"} {
			list, _ := n.Attr(name)
			for _, id := range strings.Fields(list) {
				named++
				if !ids[id] {
					t.Errorf("%s names %q, which is not there", name, id)
				}
			}
		}
	})
	if named < 5 {
		t.Errorf("%d names", named)
	}
}

package state_test

import (
	"fmt"

	"aguiwasm/agui"
	"aguiwasm/state"
)

func Example() {
	store := state.New(nil, `{"steps":[]}`)
	var changes state.Changes
	pipeline := agui.NewPipeline(agui.Options{
		Known: store,
		Emit: func(ev agui.Event) bool {
			changes.Reset()
			store.Apply(ev, &changes, nil)
			fmt.Println(ev.EventType(), changes.Len())
			return true
		},
	})
	for _, data := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/steps/-","value":"greeted"}]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
	} {
		if err := pipeline.Push(data); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(string(store.AppendMessages(nil)))
	fmt.Println(string(store.AppendState(nil)))
	// Output:
	// RUN_STARTED 0
	// TEXT_MESSAGE_START 1
	// TEXT_MESSAGE_CONTENT 1
	// TEXT_MESSAGE_END 0
	// STATE_DELTA 1
	// RUN_FINISHED 1
	// [{"id":"m","role":"assistant","content":"Hello"}]
	// {"steps":["greeted"]}
}

func ExampleDocument_Patch() {
	doc, err := state.ParseDocument(`{"price":1.50,"tags":["a","b"]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	before := doc.Snapshot()
	err = doc.Patch(`[{"op":"add","path":"/tags/1","value":"x"},{"op":"remove","path":"/tags/0"}]`)
	fmt.Println(doc, err)
	err = doc.Patch(`[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/no/way","value":1}]`)
	fmt.Println(doc, err)
	fmt.Println(before)
	// Output:
	// {"price":1.50,"tags":["x","b"]} <nil>
	// {"price":1.50,"tags":["x","b"]} operation 1 (replace /no/way) cannot be applied: there is no member "no"
	// {"price":1.50,"tags":["a","b"]}
}

func ExampleComplete() {
	fmt.Println(state.Complete(`{"city":"Par`))
	fmt.Println(state.Complete(`{"city":"Paris","days":1`))
	fmt.Println(state.Complete(`{"city":"Paris","days":14,"with":["a`))
	// Output:
	// {"city":"Par"}
	// {"city":"Paris"}
	// {"city":"Paris","days":14,"with":["a"]}
}

func ExampleStore_Snapshot() {
	store := state.New(nil, `{"n":1}`)
	before := store.Snapshot()
	if err := store.PatchState(`[{"op":"replace","path":"/n","value":2}]`, nil); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(store.AppendState(nil)))
	store.Restore(before, nil)
	fmt.Println(string(store.AppendState(nil)))
	// Output:
	// {"n":2}
	// {"n":1}
}

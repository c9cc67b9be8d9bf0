package thread

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// turn adds a person's message and lets a run answer it, which counts its turns in the state.
func (k *talk) turnOf(t *testing.T, n int, user, answer string) Prepared {
	t.Helper()
	if user != "" {
		k.add(t, fmt.Sprintf(said, user))
	}
	p := k.begin(t, params(fmt.Sprint("r", n)))
	run := fmt.Sprintf(`"threadId":"t","runId":"r%d"}`, n)
	k.apply(t, `{"type":"RUN_STARTED",`+run, `{"type":"TEXT_MESSAGE_START","messageId":"`+answer+
		`","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"`+answer+`","delta":"`+answer+`"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"`+answer+`"}`,
		fmt.Sprintf(`{"type":"STATE_SNAPSHOT","snapshot":{"turn":%d}}`, n), `{"type":"RUN_FINISHED",`+run)
	k.finish(t)
	return p
}

func (k *talk) state() string { return string(k.Store().AppendState(nil)) }

// forked writes the forks: "before shown/count".
func (k *talk) forked() string {
	var out []string
	for _, f := range k.Forks() {
		out = append(out, fmt.Sprintf("%s %d/%d", f.Before, f.Shown, f.Count))
	}
	return strings.Join(out, ", ")
}

func (k *talk) is(t *testing.T, what, ids, state, forks, parent string) {
	t.Helper()
	if k.ids() != ids || k.state() != state || k.forked() != forks || k.parent != parent {
		t.Errorf("%s: %q %s forks %q parent %q, want %q %s %q %q", what, k.ids(), k.state(), k.forked(), k.parent, ids,
			state, forks, parent)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEditAndRegenerate(t *testing.T) {
	k := newTalk()
	first := k.state()
	k.turnOf(t, 1, "u1", "a1")
	k.turnOf(t, 2, "u2", "a2")
	var ch state.Changes
	must(t, k.Edit("u2", &ch))
	k.is(t, "cut", "u1 a1", `{"turn":1}`, "a1 1/2", "r1")
	if ch.Len() == 0 {
		t.Error("nothing was recorded")
	}
	p := k.turnOf(t, 3, "u3", "a3")
	if p.Input.ParentRunID != `"r1"` {
		t.Errorf("the parent is %s", p.Input.ParentRunID)
	}
	k.is(t, "edited", "u1 a1 u3 a3", `{"turn":3}`, "a1 1/2", "")
	must(t, k.Regenerate("", nil))
	k.is(t, "cut again", "u1 a1 u3", `{"turn":1}`, "a1 1/2, u3 1/2", "r1")
	k.turnOf(t, 4, "", "a4")
	must(t, k.Show("a1", 0, nil))
	k.is(t, "the first version", "u1 a1 u2 a2", `{"turn":2}`, "a1 0/2", "r2")
	must(t, k.Regenerate("a1", nil))
	k.is(t, "the first answer", "u1", first, "u1 1/2", "")
	k.turnOf(t, 5, "", "a1") // a server may name messages alike
	k.is(t, "of the same id", "u1 a1", `{"turn":5}`, "u1 1/2", "")
	must(t, k.Show("u1", 0, nil))
	must(t, k.Show("a1", 1, nil))
	k.is(t, "the edited one", "u1 a1 u3 a4", `{"turn":4}`, "u1 0/2, a1 1/2, u3 1/2", "r4")
	must(t, k.Show("u3", 0, nil))
	k.is(t, "its former answer", "u1 a1 u3 a3", `{"turn":3}`, "u1 0/2, a1 1/2, u3 0/2", "r3")
	if got := messageIDs(k.Version("u3", 1)) + "|" + messageIDs(k.Version("u3", 0)) + "|" +
		messageIDs(k.Version("u1", 1)); got != "a4|a3|a1" {
		t.Errorf("versions: %s", got)
	}
	must(t, k.Edit("u1", nil))
	k.is(t, "the start", "", first, " 1/2", "")
	k.turnOf(t, 6, "u4", "a6")
	if got := messageIDs(k.Version("", 0)); got != "u1 a1 u3 a3" {
		t.Errorf("the first version of all: %s", got)
	}
	c := k.Clone()
	must(t, c.Show("", 0, nil))
	k.is(t, "beside its clone", "u4 a6", `{"turn":6}`, " 1/2", "")
	must(t, k.Show("", 0, nil))
	k.is(t, "all back", "u1 a1 u3 a3", `{"turn":3}`, " 0/2, u1 0/2, a1 1/2, u3 0/2", "r3")
	k.Store().SetMessages(nil, nil)
	k.is(t, "emptied by the page", "", `{"turn":3}`, "", "r3")
}

func messageIDs(list []state.Message) string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID())
	}
	return strings.Join(ids, " ")
}

func TestWhatCannotBeEdited(t *testing.T) {
	k := newTalk()
	k.turnOf(t, 1, "u1", "a1")
	refused(t, k.Edit("a1", nil), "a1")
	refused(t, k.Edit("x", nil), "x")
	refused(t, k.Regenerate("x", nil), "x")
	refused(t, k.Show("u1", 0, nil), "u1")
	must(t, k.Regenerate("u1", nil))
	refused(t, k.Show("u1", 2, nil), "2")
	refused(t, k.Show("u1", -1, nil), "-1")
	k.begin(t, params("r2"))
	refused(t, k.Edit("u1", nil), "under way")
	refused(t, k.Regenerate("", nil), "under way")
	refused(t, k.Show("u1", 0, nil), "under way")
	refused(t, newTalk().Regenerate("", nil), "no message")
}

// R17: an agent that keeps the thread must learn of the cut.
func TestHistoryNewAfterSecondThoughts(t *testing.T) {
	k := newTalk()
	k.History = HistoryNew
	k.turnOf(t, 1, "u1", "a1")
	k.turnOf(t, 2, "u2", "a2")
	must(t, k.Edit("u2", nil))
	check := func(what string, p Prepared, sends, parent string) {
		t.Helper()
		if got := k.sends(p); got != sends || string(p.Input.ParentRunID) != parent {
			t.Errorf("%s: sends %q, parent %s", what, got, p.Input.ParentRunID)
		}
	}
	k.add(t, fmt.Sprintf(said, "u3"))
	p := k.begin(t, params("r3"))
	check("edited", p, "u3", `"r1"`)
	k.apply(t, started, succeeded)
	k.finish(t)
	must(t, k.Show("a1", 0, nil))
	k.add(t, fmt.Sprintf(said, "u4"))
	p = k.begin(t, params("r4"))
	check("shown", p, "u4", `"r2"`)
	k.apply(t, started, succeeded)
	k.finish(t)
	must(t, k.Edit("u1", nil))
	k.add(t, fmt.Sprintf(said, "u5"))
	p, err := k.Prepare(params("r5"))
	must(t, err)
	check("the first message", p, "u5", "")
	if p.Send != nil {
		t.Error("without a run before the whole history goes")
	}
	k.Rename("other")
	must(t, k.Show("", 0, nil))
	p, err = k.Prepare(params("r6"))
	must(t, err)
	check("in a thread of another id", p, "u1 a1 u2 a2 u4", "")
}

// A question that was left before the place is left again; one behind it is gone.
func TestQuestionsAfterSecondThoughts(t *testing.T) {
	k := newTalk()
	k.add(t, fmt.Sprintf(said, "u1"))
	k.begin(t, params("r1"))
	k.apply(t, started)
	k.apply(t, interrupted("i1"))
	k.finish(t)
	must(t, k.Regenerate("", nil))
	if len(k.Store().Interrupts()) > 0 || len(k.questions()) > 0 {
		t.Error("the question behind the place is still there")
	}
	if k.parent != "" {
		t.Error("the run that is made again is no parent, though all its messages stand")
	}
	must(t, k.Show("u1", 0, nil))
	if got := k.Store().Interrupts(); len(got) != 1 || got[0].ID != "i1" {
		t.Errorf("the version lacks its question: %v", got)
	}
	must(t, k.Dismiss("", nil, nil))
	k.turnOf(t, 2, "u2", "a2")
	must(t, k.Edit("u2", nil))
	k.add(t, fmt.Sprintf(said, "u3"))
	p, err := k.Prepare(params("r3"))
	must(t, err)
	if len(p.Input.Resume) != 1 || p.Input.Resume[0].InterruptID != "i1" || p.Input.Resume[0].Status != "cancelled" {
		t.Errorf("resume: %v", p.Input.Resume)
	}
}

// Whatever is edited, made again and shown: each version comes back as it was left.
func TestRandomSecondThoughts(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		k := newTalk()
		n := 0
		whole := func() string {
			var b strings.Builder
			for i := range k.Store().Len() {
				b.Write(k.Store().Message(i).AppendJSON(nil))
			}
			return b.String() + k.state()
		}
		known := map[string]string{} // "path of shown versions" to what was there
		key := func() string { return k.ids() }
		for range 25 {
			n++
			switch k0 := k.Store().Len(); {
			case k0 == 0 || r.Intn(3) == 0:
				k.turnOf(t, n, fmt.Sprint("u", n), fmt.Sprint("a", n))
			case r.Intn(2) == 0:
				forks := k.Forks()
				if len(forks) == 0 {
					continue
				}
				f := forks[r.Intn(len(forks))]
				known[key()] = whole()
				v := r.Intn(f.Count)
				want := messageIDs(k.Version(f.Before, v))
				must(t, k.Show(f.Before, v, nil))
				if got := messageIDs(k.Version(f.Before, v)); got != want {
					t.Fatalf("seed %d: shows %q, want %q", seed, got, want)
				}
				if was, ok := known[key()]; !ok || was != whole() {
					t.Fatalf("seed %d: version %d of %q is %s, was %s", seed, v, f.Before, whole(), was)
				}
			default:
				known[key()] = whole()
				m := k.Store().Message(r.Intn(k0))
				if m.Role() == agui.RoleUser {
					must(t, k.Edit(m.ID(), nil))
					k.turnOf(t, n, fmt.Sprint("u", n), fmt.Sprint("a", n))
				} else {
					must(t, k.Regenerate(m.ID(), nil))
					k.turnOf(t, n, "", fmt.Sprint("a", n))
				}
			}
		}
	}
}

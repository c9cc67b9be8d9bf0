package demo

import (
	"strings"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/server"
)

// Scenario is one thing that the agent can show.
type Scenario struct {
	// Name is its short name, which also works as a word in a message.
	Name string `json:"name"`
	// Title says what it shows.
	Title string `json:"title"`
	// Prompt is a message that chooses it.
	Prompt string `json:"prompt"`
}

// scenario is a Scenario with how it is chosen and told.
type scenario struct {
	Scenario
	// words choose it when one of them stands in the last user message.
	words []string
	// late is how long the response's headers are kept back.
	late time.Duration
	run  func(*talk) error
}

// scenarios are in the order in which help lists them and their words are looked for.
var scenarios []*scenario

func init() {
	add := func(name, title, prompt string, words string, run func(*talk) error) *scenario {
		s := &scenario{Scenario: Scenario{name, title, prompt}, words: append(strings.Split(words, "|"), name),
			run: run}
		scenarios = append(scenarios, s)
		return s
	}
	add("help", "What this agent can show", "help", "帮助", help)
	add("text", "Text with Markdown", "Show me some text with markdown", "markdown|文本", text)
	add("reasoning", "Reasoning, and an encrypted value", "Show your reasoning", "think|thinking|推理|思考", reasoning)
	add("tool", "A tool that runs on the server", "Use a server tool: the weather in Lisbon", "weather|天气", serverTool)
	add("page-tool", "A tool that runs in the page", "Use the page tools",
		"page tool|tools of the page|frontend|页面工具|前端", pageTool)
	add("plan", "Shared state: a plan that fills", "Make a plan and share it as state", "planning|计划", planned)
	add("table", "Shared state: a table of 200 rows that changes", "Show a table of 200 rows", "rows|表格", table)
	add("activity", "An activity with deltas", "Search and show your activity", "search|progress|活动|搜索", activity)
	add("approve", "An interrupt: approve a tool call", "Delete the old logs, but ask for my approval",
		"approval|delete|批准|审批", approve)
	add("ask", "An interrupt: input required", "Ask me for my address", "address|form|输入", ask)
	add("confirm", "An interrupt: confirmation", "Book a table, I will confirm", "confirmation|book|确认", confirm)
	add("several", "Two interrupts at once", "Ask me several things at once", "interrupts|多个中断", several)
	add("subagents", "Subagents side by side", "Let subagents work side by side", "subagent|team|子代理|子智能体", subagents)
	add("chunks", "Chunks, the short form", "Answer in chunks", "chunk|分块", chunks)
	add("media", "Media in a tool's result", "Show me an image", "image|picture|audio|图片|媒体", media)
	add("steps", "Steps", "Work in steps", "step|步骤", steps)
	add("usage", "Token usage, result and custom events", "What did that use? Show usage", "tokens|custom|用量", usage)
	add("history", "A snapshot of the messages", "Summarize our history", "summarize|snapshot|历史", history)
	add("error", "An error in the middle", "Fail in the middle with an error", "fail|错误", failure)
	add("cut", "A connection that breaks", "Cut the connection", "disconnect|断开", cut)
	add("slow", "A slow start", "Start slowly", "slowly|wait|慢", slow).late = 3 * time.Second
	add("flood", "20,000 events", "Flood me with 20,000 events", "20000|20,000|洪水", flood)
}

// Scenarios lists what the agent can show.
func Scenarios() []Scenario {
	list := make([]Scenario, len(scenarios))
	for i, s := range scenarios {
		list[i] = s.Scenario
	}
	return list
}

// echoing answers what names no scenario.
var echoing = &scenario{Scenario: Scenario{"echo", "Any other text", ""}, run: echo}

// choose finds the scenario for an input. A resume goes on where the interrupt was, a tool's result where the call was.
func choose(in *agui.Input) *scenario {
	if len(in.Resume) > 0 {
		return resumed
	}
	if last(in).Role == agui.RoleTool {
		return toolAnswered
	}
	return find(server.LastText(in))
}

func find(words string) *scenario {
	words = strings.ToLower(words)
	// The longest word wins: "page tools" asks for the page's, not the server's.
	best, length := echoing, 0
	for _, s := range scenarios {
		for _, word := range s.words {
			if len(word) > length && holds(words, word) {
				best, length = s, len(word)
			}
		}
	}
	return best
}

// holds reports whether text holds the word, standing alone if it is written in letters.
func holds(text, word string) bool {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, stop := from+i, from+i+len(word)
		if word[0] >= 0x80 || ((start == 0 || !letter(text[start-1])) &&
			(stop == len(text) || !letter(text[stop]) || text[stop:] == "s" || strings.HasPrefix(text[stop:], "s "))) {
			return true
		}
		from = start + 1
	}
}

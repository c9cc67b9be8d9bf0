// Package thread keeps what a conversation needs across its runs: which messages the agent has had (history), which
// tool calls the page must answer (rounds), which interrupts are open and what answers them (resume), and the
// snapshots that a branch starts from.
//
// A [Thread] stands over a [state.Store] and never changes a message by itself. One run goes through it in this order:
//
//	Begin    checks the answers to interrupts and gives what the request carries
//	Observe  once for each event that is applied, after the store took it
//	Finish   once, when the run is over for the page: which tool calls it must answer
//
// Nothing here knows JavaScript, HTTP or time: the caller says what time it is.
package thread

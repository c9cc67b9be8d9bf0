// Package threadapi keeps the agents' threads under handles and answers what JavaScript asks about them, JSON in and
// JSON out, in pure Go. What a thread decides is in package state/thread; here is only the way there and back.
//
// An answer is an object; one that has a member "error" refuses ({code, message}, see batch.Failure). The operations,
// with what they take and, behind the arrow, what they give:
//
//	new         messages, state, interrupts, parentRunId?, runs? -> handle, ops
//	set         messages?, base?, patch? or state?, interrupts?, changes? -> ops
//	patch       patch -> ops
//	answers     messages -> ops
//	prepare     threadId, runId, tools, context, forwardedProps, resume?, parentRunId?, and what of the agent's
//	            options is about the thread: history, unanswered?, sameRunId?, said?, known, asks
//	            -> threadId, runId, ops?, parentRunId?, forwardedProps, resume?, send
//	finish      handled, round, limit, failed?, refused?, said?, answers?, keepRuns?
//	            -> calls, outcome, standing?, ops?, names?, parentRunId
//	waiting     -> ids
//	follows     handlers, persons, known -> follows
//	wait        ids
//	pending     handled, id? -> calls
//	beside      threadId, forwardedProps?, resume?, asks, handled -> calls
//	dismiss     id? -> ops
//	edit        id -> ops, parentRunId
//	regenerate  id -> ops, parentRunId
//	show        before, version -> ops, parentRunId
//	redo        threadId, parentRunId?, messages, state, interrupts, and op ("edit", "regenerate",
//	            "show") with what it takes, or none -> ops, parentRunId
//	forks       -> forks: a list of {before, shown, count}
//	versions    id -> before, shown, versions: lists of messages, the shown one empty
//	branch      runId -> handle
//	clone       -> handle
//	forget      keepRuns
//	free
//	complete    text -> value
//
// complete needs no thread: value is the best parse of unfinished tool arguments (see state.Complete), {} where they
// are not yet an object.
//
// runs of new are the ids of the runs that the page remembers from before the thread.
//
// redo makes the versions of a thread that died with its program: one for each change, from what the page had before
// it, and one without op for what it has now.
//
// messages of set is an array in which a string keeps the message of that id and an object is a message. base names the
// messages that the page's array began with: what came to the conversation since stays, at the end. patch of set and of
// patch are JSON Patch operations on the state. With changes, ops are the changes as web/docs/architecture.md has them;
// without, the page has made the changes itself, and ops are only where the conversation holds something else than it
// was given (an id that two messages had, a retired shape). send of prepare marks the messages that go out; null is
// all.
package threadapi

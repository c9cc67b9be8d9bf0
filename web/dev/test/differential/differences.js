// The differences that are meant, each with its reason. PROTOCOL section 8 lists them; none is left out of the
// comparison because of one: the reference is brought to what this runtime promises, so that everything else still has
// to agree. A run counts how often each was needed; one that is never needed fails the test.

export const DIFFERENCES = {
  "one read per event": "A fault loses good events of the same network read in the reference; so it gets one event per read.",
  "line ends": "CRLF and CR line ends are read here as the SSE standard says; the reference fails on them and gets LF.",
  "[DONE]": "An event that holds [DONE] is ignored here, and is fatal there. The reference does not get it.",
  "no terminal event": "A stream without RUN_FINISHED or RUN_ERROR is success there, incomplete_stream here.",
  "run error": "RUN_ERROR resolves there, and is the error run_error here.",
  "optional null": "A null optional field counts as absent here; some are fatal there. The reference gets the stream without them.",
  "unknown property": "Stripped there, kept here. They are named zz and left out of the comparison.",
  "unknown part": "Stripped there, kept here. Left out of the comparison.",
  "binary part": "Turned into a media part wherever it stands, its id kept; there in snapshots and input only, without the id, and not beside a media part that says the same. The reference gets it turned.",
  "thinking without start": "THINKING_TEXT_MESSAGE_CONTENT makes its start here, and is fatal there. The reference gets the start.",
  "made ids": "Ids made for THINKING events are random there. Both are numbered in order.",
  "malformed operation": "A malformed operation fails the patch here, and is fatal or skipped there. The reference gets a patch that fails.",
  "root removed": "Removing the root fails the patch here, and sets null there. The reference gets a patch that fails.",
  "member of a scalar root": "RFC 6902 fails where a path leads into a scalar; at the root the reference passes over it.",
  "missing source for the root": "RFC 6902 fails where a move or copy has no source; to the root the reference moves nothing, and the state is gone.",
  "odd array index": "An empty index and leading zeros are no index in RFC 6902; the reference takes the empty one for 0.",
  "target past the end": "A move or copy past an array's end fails by RFC 6902; the reference appends.",
  "prototype path": "__proto__, constructor and the like are ordinary keys here; there they are refused or found on every object. The reference gets them under another name.",
  "replayed text": "The first delta of a replayed message replaces its text here, and is appended there. The text is cleared there first.",
  "replayed call": "The first arguments of a replayed call replace the old ones here. They are cleared there first.",
  "replayed result": "A result under a known id of the same call replaces it in place here; it stands twice there.",
  "call under its own id": "A call without a parent goes into an assistant message of its id, if there is one; there a second message has that id.",
  "answered call": "A call of the run whose result the conversation holds already is not pending here; the reference counts the results of this run only, and goes on counting one that a snapshot has taken away.",
  "messages snapshot": "The snapshot's order wins, and open messages survive; there new ones come last and open ones are lost. The rule is written out for it.",
  "unreadable version": "A protocolVersion that is no string is warned of here, and fatal there. The reference does not get it.",
  "split entry": "Two entries of a snapshot that are parts of one assistant's message are joined here; the last one counts there.",
  "after the end": "Events behind a RUN_FINISHED are the run's in lenient mode; fatal there. The reference gets them before it.",
  "missing id": "A message without an id gets one in lenient mode; fatal there. The reference gets ids, as section 6 says whose.",
  "owned activities": "A snapshot that names the activity types that it owns decides of those alone; the rule is written out with the snapshot's.",
  "open question": "An interrupt that nobody answered stays open through later runs of the response here; a plain end forgets it there.",
  "id used once": "A text or call whose id an earlier turn finished is one of its own here as soon as it differs, under " +
    "ID:2; there it is written into the old one. The reference gets an id of its own for it.",
  "id used again": "The same, where a later list of messages names the id, or in a browser: the messages of such a " +
    "stream are not compared; state's own tests have them.",
  "two kinds under one id": "Both are kept here, and merged, dropped or overwritten there. The reference gets an id of its own for each kind.",
};

/** Counts the differences that were needed. */
export class Hits {
  constructor() {
    this.counts = Object.fromEntries(Object.keys(DIFFERENCES).map((name) => [name, 0]));
  }

  add(name) {
    if (!(name in this.counts)) throw new Error("a difference without a reason: " + name);
    this.counts[name]++;
  }
}

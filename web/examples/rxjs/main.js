import { catchError, debounceTime, filter, from, fromEvent, map, of, scan, startWith, switchMap } from "rxjs";

const words = /** @type {HTMLInputElement} */ (document.getElementById("words"));
const answer = /** @type {HTMLElement} */ (document.getElementById("answer"));

/** One run as a stream of the text so far. */
const ask = (/** @type {string} */ content) =>
  from(agui.run({ messages: [{ role: "user", content }] })).pipe(
    filter((event) => event.type === "TEXT_MESSAGE_CONTENT"),
    map((event) => event.delta),
    scan((text, delta) => text + delta, ""),
    startWith(""),
    catchError((error) => of(error.message)),
  );

// A new question ends the run before it: switchMap unsubscribes, and that aborts the request.
fromEvent(words, "input").pipe(debounceTime(50), map(() => words.value), filter(Boolean), switchMap(ask))
  .subscribe((text) => {
  answer.textContent = text;
});

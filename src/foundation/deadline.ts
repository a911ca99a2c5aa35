// Waiting that has an end: a server that is frozen keeps its connections open and answers nothing, and whoever asks it
// must not hang with it. What is waited for goes on by itself; to stop it is the caller's business.
import { systemClock } from "./clock.js";

/** The outcome of `answer`, or a rejection when there is none within `mostMs`. */
export async function withinMs<T>(answer: Promise<T>, mostMs: number): Promise<T> {
  const answered = new AbortController();
  const late = systemClock.sleep(mostMs, answered.signal).then(() => {
    throw new Error(`no answer within ${mostMs / 1000} s`);
  });
  late.catch(() => undefined); // lost the race
  return Promise.race([answer, late]).finally(() => answered.abort());
}

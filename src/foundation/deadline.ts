// Waiting that has an end: a server that is frozen keeps its connections open and answers nothing, and whoever asks it
// must not hang with it. What is waited for goes on by itself; to stop it is the caller's business.

/** The outcome of `answer`, or a rejection when there is none within `mostMs`. */
export async function withinMs<T>(answer: Promise<T>, mostMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${mostMs / 1000} s`)), mostMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Settles with `work`, or resolves once the signal aborts. */
export async function unlessAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  work.catch(() => undefined);
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  ]);
}

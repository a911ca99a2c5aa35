// Waits with an end: a frozen server keeps its connections open and never answers. The caller stops the work itself.

export async function withinMs<T>(answer: Promise<T>, mostMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${mostMs / 1000} s`)), mostMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Settles like `work`, or resolves when the signal aborts. */
export async function awaitUnlessAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  work.catch(() => undefined);
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  ]);
}

/**
 * Waits for all attempts. Resolves with all results or, if an attempt failed, calls `undo` with the results of the others
 * and then rejects with the first failure.
 */
export async function allOrNone<T>(
  attempts: readonly Promise<T>[],
  undo: (results: readonly T[]) => Promise<unknown>,
): Promise<T[]> {
  const outcomes = await Promise.allSettled(attempts);
  const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failure) return results;
  await undo(results);
  throw failure.reason;
}

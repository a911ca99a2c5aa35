// The valid word nearest to an invalid one, by edit distance; none if nothing is near, for a wrong guess is worse than none.
import { distance } from "fastest-levenshtein";

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = distance(lower, candidate.toLowerCase());
    if (!best || edits < best.edits) best = { candidate, edits };
  }
  return best && best.edits <= Math.max(2, Math.ceil(word.length * 0.4)) ? best.candidate : undefined;
}

/** Text `did you mean X?`, or a list of all choices if none is near. */
export function suggestion(word: string, candidates: readonly string[], noun: string): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return `did you mean ${near}?`;
  return candidates.length > 0 ? `valid ${noun}: ${candidates.join(", ")}` : `there are no ${noun} here`;
}

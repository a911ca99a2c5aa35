// The valid word nearest to an invalid one, by edit distance; none if nothing is near, for a wrong guess is worse than none.
import { distance } from "fastest-levenshtein";

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lowerWord = word.toLowerCase();
  let bestCandidate: { candidate: string; editDistance: number } | undefined;
  for (const candidate of candidates) {
    const editDistance = distance(lowerWord, candidate.toLowerCase());
    if (!bestCandidate || editDistance < bestCandidate.editDistance)
      bestCandidate = { candidate, editDistance };
  }
  return bestCandidate && bestCandidate.editDistance <= Math.max(2, Math.ceil(word.length * 0.4))
    ? bestCandidate.candidate
    : undefined;
}

/** Text `did you mean X?`, or a list of all choices if none is near. */
export function suggestion(word: string, candidates: readonly string[], noun: string): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return `did you mean ${near}?`;
  return candidates.length > 0 ? `valid ${noun}: ${candidates.join(", ")}` : `there are no ${noun} here`;
}

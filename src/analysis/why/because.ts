// Sentences next to a significant difference: first the parts of the time, then a plan or an index, then the evidence that
// moved most, one sentence for each topic. An empty list: the evidence shows nothing. No list: there is no difference to
// explain.
import type { Comparison, TreatmentResult } from "../../results/result-schema.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import { isBelowNoise, NO_FACTOR } from "../comparison/noise-floor.js";
import { isDifference } from "../comparison/verdicts.js";
import { completeTrials } from "../steady-state/series.js";
import { movedWith, type Difference, type EvidenceChange } from "./evidence.js";
import { flipReasons } from "./flips.js";
import { partsSentence } from "./time-parts.js";
import { whyRules } from "./why-rules.js";

const SENTENCES_MAX = 4;

/** The strongest evidence of each topic, strongest first. */
function rankedChanges(moved: readonly EvidenceChange[]): EvidenceChange[] {
  const byWeight = [...moved].sort((a, b) => b.weight - a.weight);
  return byWeight.filter(({ topic }, i) => byWeight.findIndex((each) => each.topic === topic) === i);
}

function sentencesOf(difference: Difference): string[] {
  const trials = [difference.baseline, difference.treatment].flatMap(completeTrials);
  const moved = whyRules(trials, difference.vocabulary).flatMap((rule) => movedWith(rule, difference) ?? []);
  const sentences = [
    partsSentence(difference) ?? [],
    flipReasons(difference),
    rankedChanges(moved).map(({ sentence }) => sentence),
  ].flat();
  return sentences.slice(0, SENTENCES_MAX);
}

/** The comparisons; each claimed difference gets the evidence that moved with it. */
export function withReasons(
  comparisons: readonly Comparison[],
  treatments: readonly TreatmentResult[],
  vocabulary: Vocabulary,
  seed: number,
): Comparison[] {
  const byId = new Map(treatments.map((treatment) => [treatment.id, treatment]));
  return comparisons.map((comparison) => {
    if (!isDifference(comparison) || comparison.factor === NO_FACTOR || isBelowNoise(comparison, comparisons))
      return comparison;
    const [baseline, treatment] = [byId.get(comparison.baseline), byId.get(comparison.treatment)];
    if (!baseline || !treatment) return comparison;
    return { ...comparison, because: sentencesOf({ comparison, baseline, treatment, vocabulary, seed }) };
  });
}

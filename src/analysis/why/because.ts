// Sentences on a significant difference: first the parts of the time, then a plan or an index, then the evidence that
// moved most, one sentence for each topic. An empty list: the evidence shows nothing. No list: there is no difference to
// explain.
import type { Comparison, TreatmentResult } from "../../results/result-schema.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import { isWithinNoiseFloor, NO_FACTOR } from "../comparison/noise-floor.js";
import { isDifference } from "../comparison/verdicts.js";
import { completeTrials } from "../steady-state/series.js";
import { evidenceChangeOf, type Difference, type EvidenceChange } from "./evidence.js";
import { flipReasons } from "./flips.js";
import { partsSentence } from "./time-parts.js";
import { whyRules } from "./why-rules.js";

const SENTENCES_MAX = 4;

/** The strongest evidence of each topic, strongest first. */
function rankedChanges(evidenceChanges: readonly EvidenceChange[]): EvidenceChange[] {
  const changesByWeight = [...evidenceChanges].sort((a, b) => b.weight - a.weight);
  return changesByWeight.filter(
    ({ topic }, i) => changesByWeight.findIndex((each) => each.topic === topic) === i,
  );
}

function sentencesOf(difference: Difference): string[] {
  const trials = [difference.baseline, difference.treatment].flatMap(completeTrials);
  const evidenceChanges = whyRules(trials, difference.vocabulary).flatMap(
    (rule) => evidenceChangeOf(rule, difference) ?? [],
  );
  const sentences = [
    partsSentence(difference) ?? [],
    flipReasons(difference),
    rankedChanges(evidenceChanges).map(({ sentence }) => sentence),
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
  const treatmentById = new Map(treatments.map((treatment) => [treatment.id, treatment]));
  return comparisons.map((comparison) => {
    if (
      !isDifference(comparison) ||
      comparison.factor === NO_FACTOR ||
      isWithinNoiseFloor(comparison, comparisons)
    )
      return comparison;
    const [baseline, treatment] = [
      treatmentById.get(comparison.baseline),
      treatmentById.get(comparison.treatment),
    ];
    if (!baseline || !treatment) return comparison;
    return { ...comparison, because: sentencesOf({ comparison, baseline, treatment, vocabulary, seed }) };
  });
}

import { median } from "../../analysis/statistics/quantiles.js";
import { amountUnit } from "../../analysis/why/why-units.js";
import { evidenceValue } from "../../results/evidence-values.js";
import type { TreatmentResult } from "../../results/result-schema.js";
import { workloadNamed, type WorkloadResult } from "../../results/vocabulary.js";
import { ALL_EVIDENCE } from "../../workloads/evidence.js";
import type { Note } from "./notes.js";

/** Pattern of keys, of any workload or of the server, that change how many rows die and who removes them. */
const VACUUM_KEY = /(^|[._])(fill_?factor|autovacuum\w*|retire|layout)$/i;
const VACUUM_EVIDENCE = ["tuples.hotRatio", "tuples.dead", "vacuum.autovacuums"];

/**
 * Note with the evidence that the workload names for the varied keys, and dead rows for keys about them, with medians over
 * complete trials; none without values.
 */
export function evidenceNotes(
  { levels, trials }: Pick<TreatmentResult, "levels" | "trials">,
  workload: Pick<WorkloadResult, "name" | "isOwn">,
): Note[] {
  const { factors = {} } = workloadNamed(workload)?.reporting ?? {};
  const names = new Set(
    Object.keys(levels).flatMap((key) => factors[key] ?? (VACUUM_KEY.test(key) ? VACUUM_EVIDENCE : [])),
  );
  const texts = [...names].flatMap((name) => {
    const figures = ALL_EVIDENCE.filter(({ metric }) => metric.name === name);
    const figure = figures.find(({ chart }) => chart !== undefined) ?? figures[0];
    if (!figure) return [];
    const complete = trials.filter(({ status }) => status === "complete");
    const values = complete.flatMap(({ database }) => evidenceValue(figure, database) ?? []);
    if (values.length === 0) return [];
    return [
      `${figure.chart ?? figure.metric.meaning} ${amountUnit(figure.metric.unit, 0).text(median(values))}`,
    ];
  });
  return texts.length > 0 ? [{ text: `evidence, median of trials: ${texts.join("; ")}`, tone: "plain" }] : [];
}

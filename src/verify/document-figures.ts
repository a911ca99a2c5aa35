// Figures of all trials together, from recomputed trials. Statements on events outside of trials stay as stored.
import { withAnalysis } from "../analysis/comparison/analysis.js";
import type { ResultDocument, ThresholdResult } from "../results/result-schema.js";
import type { Experiment } from "../scenario/settings.js";
import { verdictOf } from "../engine/session/conclusion.js";
import type { ExperimentRecord } from "../engine/session/experiment-record.js";
import { WITHOUT_EFFECT_RULE } from "../engine/session/machine-caveats.js";
import { RESUMED_RULE, setAsideViolations } from "../engine/session/resume.js";
import type { Figures } from "./figures.js";

/** Rules in `diagnosis` that concern the whole run and cannot be recomputed from trials. */
const WHOLE_RUN_RULES: ReadonlySet<unknown> = new Set([RESUMED_RULE, WITHOUT_EFFECT_RULE, "schema-left"]);
const ABORT_REASON_PATTERN = /^aborted the experiment/;

interface RecomputedRun {
  readonly directory: string;
  readonly result: ResultDocument;
  readonly experiment: Experiment;
  /** The recomputed trials. */
  readonly record: ExperimentRecord;
  /** Treatments with a trial whose histograms cannot be read. */
  readonly unmerged: ReadonlySet<string>;
}

export class DocumentFigures {
  constructor(
    private readonly figures: Figures,
    private readonly compared: RecomputedRun,
  ) {}

  /**
   * Compares the figures over all trials. A run that was killed (`isConcluded` false) lacks the figures that are made at
   * its end.
   */
  async compare(isConcluded: boolean): Promise<void> {
    const { figures } = this;
    const { result, record } = this.compared;
    const { environment, verdict } = result;
    if (isConcluded && result.stopping) record.looks.end(result.stopping.reason);
    const again = withAnalysis(record.document({ environment, verdict }));
    const plan = ({
      scenario: { name, seed, trials, trialOrder },
      treatments,
      faults,
      stopping,
    }: ResultDocument): unknown => ({
      scenario: { name, seed, trials, trialOrder },
      treatments: treatments.map(({ id, levels, sameAs }) => ({ id, levels, sameAs })),
      faults,
      stopping,
    });
    figures.compare("plan", "", plan(result), plan(again));
    this.compareMerged(again);
    if (!isConcluded) {
      figures.leave("medians, comparisons, thresholds, verdict", "the run did not come to its end");
      return;
    }
    const statistics = ({ treatments, ...rest }: ResultDocument): unknown => ({
      treatments: treatments.map(({ id, summary }) => ({ id, summary })),
      comparisons: rest.comparisons,
      effects: rest.effects,
      interactions: rest.interactions,
      sweeps: rest.sweeps,
      outlyingTrials: rest.outlyingTrials,
    });
    figures.compare("statistics", "", statistics(result), statistics(again));
    this.comparePublishedFigures();
    await this.verdict(this.thresholds());
  }

  private compareMerged(again: ResultDocument): void {
    const { result, unmerged } = this.compared;
    for (const { id, merged } of result.treatments) {
      const path = `treatments[${id}].merged`;
      if (unmerged.has(id)) {
        this.figures.leave(path, "the histograms of a trial are not there");
        continue;
      }
      const recomputed = again.treatments.find((each) => each.id === id)?.merged ?? null;
      this.figures.compare("merged", path, merged, recomputed);
    }
  }

  private comparePublishedFigures(): void {
    const { result, record, unmerged } = this.compared;
    const again = record.publishedResults();
    if (!again && !result.published) return;
    if (unmerged.size === 0) this.figures.compare("published", "published", result.published, again);
    else this.figures.leave("published", "the histograms of a trial are not there");
  }

  private thresholds(): readonly ThresholdResult[] {
    const { figures } = this;
    const { record, result, unmerged } = this.compared;
    const again = record.thresholds();
    const stored = result.thresholds ?? [];
    const isRecomputable = ({
      metric,
      expression,
      treatment,
      against = treatment,
    }: ThresholdResult): boolean => {
      const storedThreshold = stored.find(
        (each) => each.metric === metric && each.expression === expression && each.treatment === treatment,
      );
      return (
        !unmerged.has(treatment) &&
        !unmerged.has(against) &&
        !ABORT_REASON_PATTERN.test(storedThreshold?.reason ?? "")
      );
    };
    const unmatchedThresholds = stored.filter((each) => !isRecomputable(each));
    for (const { metric, expression, treatment, reason } of unmatchedThresholds)
      figures.leave(
        `threshold ${metric} ${expression} (${treatment})`,
        reason ?? "its samples are not there",
      );
    figures.compare("thresholds", "thresholds", stored.filter(isRecomputable), again.filter(isRecomputable));
    return again;
  }

  private async verdict(thresholds: readonly ThresholdResult[]): Promise<void> {
    const { figures } = this;
    const { result, record, experiment, directory } = this.compared;
    const aside: string[] = [];
    if (!result.capacity)
      for (const planned of experiment.trials) aside.push(...(await setAsideViolations(directory, planned)));
    const planned = result.stopping?.reason ? record.complete : experiment.trials.length;
    const isRunStopped = !result.capacity && record.complete < planned;
    const recomputed = verdictOf({
      treatments: record.treatments(),
      violations: [...aside, ...record.violations],
      thresholds,
      failure: undefined,
      abortedBy: undefined,
      stopReason: isRunStopped ? "stopped" : undefined,
      completeTrials: record.complete,
      plannedTrials: planned,
    });
    const { status, reasons, counts, timings } = result.verdict;
    if (status === "aborted") {
      figures.leave("why the run was aborted", "no file but the result says it");
      const validity = { counts: recomputed.counts, timings: recomputed.timings };
      figures.compare("verdict", "verdict", { counts, timings }, validity);
    } else figures.compare("verdict", "verdict", { status, reasons, counts, timings }, recomputed);
    const isRecomputableRule = ({ rule }: ResultDocument["diagnosis"][number]): boolean =>
      !WHOLE_RUN_RULES.has(rule);
    const entries = record.diagnosis(result.environment);
    figures.compare("verdict", "diagnosis", result.diagnosis.filter(isRecomputableRule), entries);
  }
}

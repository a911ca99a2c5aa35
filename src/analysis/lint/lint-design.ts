// Treatments one factor apart are neighbours; without a chain of neighbours to the baseline a treatment is confounded.
import { firstOf } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import { isManaged, strategyOf } from "../../pools/registry.js";
import { clientCountByPoolerGroup, managedPoolersOf } from "../../scenario/connections.js";
import {
  totalClients,
  type Experiment,
  type Treatment,
  type TreatmentSettings,
} from "../../scenario/settings.js";
import { budgetOf } from "../../load/load-settings.js";
import { workloadOf } from "../../workloads/registry.js";
import type { Lint } from "./lint-types.js";

const NAMES_SHOWN_MAX = 3;

/** List such as `a, b, c and 4 more`. */
export function listedNames(names: readonly string[]): string {
  return firstOf(names, NAMES_SHOWN_MAX);
}

function differingFactors(a: Treatment, b: Treatment): string[] {
  return Object.keys(a.levels).filter((factor) => a.levels[factor] !== b.levels[factor]);
}

/** Pairs of treatments that differ in exactly one factor, each pair once, with that factor. */
function neighbours(treatments: readonly Treatment[]): { a: Treatment; b: Treatment; factor: string }[] {
  return treatments.flatMap((a, i) =>
    treatments.slice(i + 1).flatMap((b) => {
      const [factor, ...others] = differingFactors(a, b);
      return factor !== undefined && others.length === 0 ? [{ a, b, factor }] : [];
    }),
  );
}

function connectedTreatments(treatments: readonly Treatment[]): Set<Treatment> {
  const pairs = neighbours(treatments);
  const reachedTreatments = new Set(treatments.slice(0, 1));
  for (const one of reachedTreatments) {
    for (const { a, b } of pairs) {
      if (a === one) reachedTreatments.add(b);
      if (b === one) reachedTreatments.add(a);
    }
  }
  return reachedTreatments;
}

export function lintConfounded({ treatments }: Experiment): Lint[] {
  const [baseline] = treatments;
  if (!baseline) return [];
  const reachedTreatments = connectedTreatments(treatments);
  const confoundedTreatments = treatments.filter((treatment) => !reachedTreatments.has(treatment));
  const [first] = confoundedTreatments;
  if (!first) return [];
  const factors = differingFactors(baseline, first).join(" and ");
  const ids = confoundedTreatments.map(({ id }) => id);
  return [
    {
      rule: "confounded",
      treatments: ids,
      words:
        `${listedNames(ids)} ${ids.length === 1 ? "differs" : "differ"} from ${baseline.id} in ${factors} at once: ` +
        "no comparison isolates one of them; add the treatments in between",
    },
  ];
}

function isAboutClients(factor: string): boolean {
  return /(^|\.)clients$/.test(factor);
}

function iterationBudgetOf(settings: TreatmentSettings): number | undefined {
  const budgets = Object.values(settings.actors).flatMap(({ load }) => budgetOf(load) ?? []);
  return budgets.length > 0 ? budgets.reduce((sum, { iterations }) => sum + iterations, 0) : undefined;
}

/**
 * First pair, for each factor, of treatments that differ in this factor alone and have different values of `valueOf`. Factors
 * that are meant to change the value are left out.
 */
function unequalNeighbours(
  experiment: Experiment,
  valueOf: (settings: TreatmentSettings) => number | undefined,
  isChangeIntended: (factor: string) => boolean,
): { a: Treatment; b: Treatment; factor: string }[] {
  const pairByFactor = new Map<string, { a: Treatment; b: Treatment; factor: string }>();
  for (const pair of neighbours(experiment.treatments)) {
    const { a, b, factor } = pair;
    if (!isChangeIntended(factor) && !pairByFactor.has(factor) && valueOf(a.settings) !== valueOf(b.settings))
      pairByFactor.set(factor, pair);
  }
  return [...pairByFactor.values()];
}

/** The objection that operations of your own files run in some treatments only. */
export function unsharedOperations({ treatments }: Experiment): Lint[] {
  const operationsOf = ({ settings }: Treatment): string[] => Object.keys(workloadOf(settings).operations);
  const files = new Map(treatments.map((each) => [workloadOf(each.settings), each]));
  const [first, ...others] = [...files.values()].map(operationsOf);
  if (!first || others.length === 0) return [];
  const shared = first.filter((operation) => others.every((each) => each.includes(operation)));
  const unsharedTexts = [...files.values()].flatMap((treatment) => {
    const operations = operationsOf(treatment).filter((operation) => !shared.includes(operation));
    const { workload: name = treatment.id } = treatment.levels;
    return operations.length > 0 ? [`${listedNames(operations)} of ${name}`] : [];
  });
  if (unsharedTexts.length === 0) return [];
  const remedy = "give transactions of the same purpose the same name";
  const words =
    shared.length > 0
      ? `not every file has these operations, and only shared ones are compared: ${unsharedTexts.join("; ")}`
      : `the files share no operation, so none is compared (${unsharedTexts.join("; ")}); ${remedy}`;
  return [{ rule: "unshared-operations", words }];
}

export function unequalClients(experiment: Experiment): Lint[] {
  return unequalNeighbours(experiment, totalClients, isAboutClients).map(({ a, b, factor }) => ({
    rule: "unequal-clients",
    treatments: [a.id, b.id],
    words:
      `levels of ${factor} differ in clients too (${a.id} has ${totalClients(a.settings)}, ` +
      `${b.id} ${totalClients(b.settings)}): give them the same, or make clients a factor`,
  }));
}

function isAboutWork(factor: string): boolean {
  return /(^|\.)iterations$/.test(factor);
}

function iterationBudgetText(settings: TreatmentSettings): string {
  const budget = iterationBudgetOf(settings);
  return budget === undefined ? "no budget" : counted(budget, "iteration");
}

export function unequalWork(experiment: Experiment): Lint[] {
  return unequalNeighbours(experiment, iterationBudgetOf, isAboutWork).map(({ a, b, factor }) => ({
    rule: "unequal-work",
    treatments: [a.id, b.id],
    words:
      `levels of ${factor} differ in their work too (${a.id} has ${iterationBudgetText(a.settings)}, ` +
      `${b.id} ${iterationBudgetText(b.settings)}): use shared-iterations with one budget`,
  }));
}

/** Number of connections that the clients of a pool share; undefined if train-sim does not know it. */
function sharedConnections(settings: TreatmentSettings): number | undefined {
  const { pool } = settings;
  if (!isManaged(pool)) return strategyOf(pool).shared?.(pool);
  const poolerConnections = managedPoolersOf(settings).reduce(
    (sum, instances) => sum + pool.size * instances,
    0,
  );
  return poolerConnections * clientCountByPoolerGroup(settings).length;
}

/** True if two treatments differ in nothing but pool and clients. */
function differOnlyInPoolOrClients(a: Treatment, b: Treatment): boolean {
  return differingFactors(a, b).every((factor) => /^pool(\.|$)/.test(factor) || isAboutClients(factor));
}

/**
 * Objects to comparing a pool with more direct connections than it has: pooling or the smaller number may be the cause of a
 * gain.
 */
export function missingPoolControl({ treatments }: Experiment): Lint[] {
  const lintBySize = new Map<number, Lint>();
  for (const pooled of treatments) {
    const size = sharedConnections(pooled.settings);
    const clients = totalClients(pooled.settings);
    if (size === undefined || size >= clients || lintBySize.has(size)) continue;
    const directTreatments = treatments.filter(
      (other) => other.settings.pool.strategy === "direct" && differOnlyInPoolOrClients(pooled, other),
    );
    if (
      directTreatments.length === 0 ||
      directTreatments.some((other) => totalClients(other.settings) === size)
    )
      continue;
    lintBySize.set(size, {
      rule: "no-pool-control",
      treatments: [pooled.id],
      words:
        `${pooled.id} shares ${counted(size, "connection")} among ${clients} clients, and no direct treatment has ` +
        `${counted(size, "client")}: a gain may come from fewer connections, not from the pool; add the level clients: ${size} to direct`,
    });
  }
  return [...lintBySize.values()];
}

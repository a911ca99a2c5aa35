// Treatments one factor apart are neighbours; without a chain of neighbours to the baseline a treatment is confounded.
import { firstOf } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import { isManaged, strategyOf } from "../../pools/registry.js";
import { countClientsByAgent, managedPoolersOf } from "../../scenario/connections.js";
import {
  totalClients,
  type Experiment,
  type Treatment,
  type TreatmentSettings,
} from "../../scenario/settings.js";
import { budgetOf } from "../../load/load-settings.js";
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
  const reached = new Set(treatments.slice(0, 1));
  for (const one of reached) {
    for (const { a, b } of pairs) {
      if (a === one) reached.add(b);
      if (b === one) reached.add(a);
    }
  }
  return reached;
}

export function lintConfounded({ treatments }: Experiment): Lint[] {
  const [baseline] = treatments;
  if (!baseline) return [];
  const reached = connectedTreatments(treatments);
  const apart = treatments.filter((treatment) => !reached.has(treatment));
  const [first] = apart;
  if (!first) return [];
  const factors = differingFactors(baseline, first).join(" and ");
  const ids = apart.map(({ id }) => id);
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

function workOf(settings: TreatmentSettings): number | undefined {
  const budgets = Object.values(settings.actors).flatMap(({ load }) => budgetOf(load) ?? []);
  return budgets.length > 0 ? budgets.reduce((sum, { iterations }) => sum + iterations, 0) : undefined;
}

/**
 * First pair, for each factor, of treatments that differ in this factor alone and have different values of `of`. Factors
 * that are meant to change the value are left out.
 */
function unequalNeighbours(
  experiment: Experiment,
  of: (settings: TreatmentSettings) => number | undefined,
  isMeant: (factor: string) => boolean,
): { a: Treatment; b: Treatment; factor: string }[] {
  const found = new Map<string, { a: Treatment; b: Treatment; factor: string }>();
  for (const pair of neighbours(experiment.treatments)) {
    const { a, b, factor } = pair;
    if (!isMeant(factor) && !found.has(factor) && of(a.settings) !== of(b.settings)) found.set(factor, pair);
  }
  return [...found.values()];
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

function workText(settings: TreatmentSettings): string {
  const work = workOf(settings);
  return work === undefined ? "no budget" : counted(work, "iteration");
}

export function unequalWork(experiment: Experiment): Lint[] {
  return unequalNeighbours(experiment, workOf, isAboutWork).map(({ a, b, factor }) => ({
    rule: "unequal-work",
    treatments: [a.id, b.id],
    words:
      `levels of ${factor} differ in their work too (${a.id} has ${workText(a.settings)}, ` +
      `${b.id} ${workText(b.settings)}): use shared-iterations with one budget`,
  }));
}

/** Number of connections that the clients of a pool share; undefined if train-sim does not know it. */
function sharedConnections(settings: TreatmentSettings): number | undefined {
  const { pool } = settings;
  if (!isManaged(pool)) return strategyOf(pool).shared?.(pool);
  const ofLot = managedPoolersOf(settings).reduce((sum, instances) => sum + pool.size * instances, 0);
  return ofLot * countClientsByAgent(settings).length;
}

/** True if two treatments differ in nothing but pool and clients. */
function isCounterpart(a: Treatment, b: Treatment): boolean {
  return differingFactors(a, b).every((factor) => /^pool(\.|$)/.test(factor) || isAboutClients(factor));
}

/**
 * Objects to comparing a pool with more direct connections than it has: pooling or the smaller number may be the cause of a
 * gain.
 */
export function missingPoolControl({ treatments }: Experiment): Lint[] {
  const found = new Map<number, Lint>();
  for (const pooled of treatments) {
    const size = sharedConnections(pooled.settings);
    const clients = totalClients(pooled.settings);
    if (size === undefined || size >= clients || found.has(size)) continue;
    const direct = treatments.filter(
      (other) => other.settings.pool.strategy === "direct" && isCounterpart(pooled, other),
    );
    if (direct.length === 0 || direct.some((other) => totalClients(other.settings) === size)) continue;
    found.set(size, {
      rule: "no-pool-control",
      treatments: [pooled.id],
      words:
        `${pooled.id} shares ${counted(size, "connection")} among ${clients} clients, and no direct treatment has ` +
        `${counted(size, "client")}: a gain may come from fewer connections, not from the pool; add the level clients: ${size} to direct`,
    });
  }
  return [...found.values()];
}

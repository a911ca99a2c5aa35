// The dashboard for Grafana asks for metrics and labels that exist, and shows every metric of operations.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIVE_COUNTS, LIVE_LATENCIES } from "../metrics/metric-lists.js";
import { SAMPLED_METRICS } from "../workloads/evidence.js";
import { endedTrial, liveSecondOf, watchedRun } from "../../test/support/example-live.js";
import { gaugeName } from "./evidence-gauges.js";
import { PrometheusMetrics } from "./prometheus.js";

const DASHBOARD = join(import.meta.dirname, "..", "..", "docker", "grafana", "train-sim.json");

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const dashboard = JSON.parse(readFileSync(DASHBOARD, "utf8")) as Dashboard;
const queries = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ expr }) => expr),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
];

/** Names of the metrics that a run can export, histograms with their parts. */
async function exportedNames(): Promise<Set<string>> {
  const metrics = new PrometheusMetrics({ scenario: "watched", programVersion: "1.2.3", trials: 4 });
  const { trial, treatment } = watchedRun().trial(1);
  metrics.trialStarted(trial, treatment);
  metrics.second(...liveSecondOf(0, 100, { offered: 12, dropped: 1 }));
  metrics.trialEnded(endedTrial(1), treatment);
  const text = await metrics.text();
  const histogram = LIVE_LATENCIES.flatMap(({ prometheus }) =>
    ["bucket", "sum", "count"].map((part) => `train_sim_${prometheus}_${part}`),
  );
  return new Set([
    ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name),
    ...histogram,
    ...SAMPLED_METRICS.map(({ name }) => gaugeName(name).name),
  ]);
}

it("every query names metrics that a run exports", async () => {
  const exported = await exportedNames();
  const named = queries.flatMap((query) => query.match(/\btrain_sim_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !exported.has(name))).toEqual([]);
});

it("shows every counter and histogram of operations", () => {
  const all = queries.join("\n");
  const names = [...LIVE_COUNTS, ...LIVE_LATENCIES].map(({ prometheus }) => `train_sim_${prometheus}`);
  expect(names.filter((name) => !all.includes(name) && !name.endsWith("arrivals_total"))).toEqual([]);
  expect(all).toContain("train_sim_dropped_arrivals_total");
});

it("filters by its own variables, and has no two panels of one number", () => {
  const variables = new Set(dashboard.templating.list.map(({ name }) => name));
  const used = queries.flatMap((query) => [...query.matchAll(/\$([a-z]+)/g)].map(([, name = ""]) => name));
  expect(used.filter((name) => !variables.has(name))).toEqual([]);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

import type { EndpointResult, RegionResult } from "../../../results/result-schema.js";
import type { Shown } from "../../findings/figures.js";
import { html, type Fillable, type Html } from "../html.js";
import { exact, tableOf, text } from "./table.js";

const LATENCY_FIELDS = ["mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;

function measuredRows(names: readonly string[], part: Pick<EndpointResult, "operations">): Fillable[][] {
  return Object.entries(part.operations).map(([operation, result]) => {
    const { transactions, events, retries, failures, responseTimeMs } = result;
    const latency = LATENCY_FIELDS.map((field) => exact(responseTimeMs?.[field]));
    return [...names, operation, ...[transactions, events, retries, failures].map(exact), ...latency];
  });
}

const MEASURED = [
  text("operation"),
  "transactions",
  "events",
  "retries",
  "failures",
  "mean ms",
  "p50 ms",
  "p90 ms",
  "p95 ms",
  "p99 ms",
  "p99.9 ms",
  "max ms",
];

function contactCells({ clients, connections, connects, refused, lost }: EndpointResult): string[] {
  return [clients, connections, connects, refused, lost].map(exact);
}

function regionTable(regions: readonly RegionResult[], about: string): Html {
  const rows = regions.flatMap((region) => measuredRows([region.region ?? "none named"], region));
  return tableOf(`By region, response times in ms, ${about}`, [text("region"), ...MEASURED], rows);
}

export function endpointTables({ endpoints = [], regions = [] }: Shown, about: string): Html {
  const measured = endpoints.flatMap((endpoint) =>
    measuredRows([endpoint.endpoint, endpoint.region ?? "-"], endpoint),
  );
  const contacts = endpoints.map((endpoint): Fillable[] => [
    endpoint.endpoint,
    endpoint.region ?? "-",
    exact(endpoint.weight),
    ...contactCells(endpoint),
  ]);
  const names = [text("endpoint"), text("region")];
  const counts = ["weight", "clients", "connections", "opened", "refused", "lost"];
  return html`${regionTable(regions, about)}${tableOf(
    `By endpoint, response times in ms, ${about}`,
    [...names, ...MEASURED],
    measured,
  )}${tableOf(`Connections of each endpoint over the whole of each trial, ${about}`, [...names, ...counts], contacts)}`;
}

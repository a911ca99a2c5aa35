// A treatment's figures by endpoint and by region. Long lists are cut; `result.json` has them all.
import { counted } from "../../foundation/units.js";
import type { EndpointResult, RegionResult } from "../../results/result-schema.js";
import type { TreatmentFigures } from "../findings/figures.js";
import { paragraph, columnsOf, renderTable, rowsFittedTo } from "../../foundation/text/text-table.js";

const LISTED_ENDPOINTS_MAX = 16;

const ENDPOINT_COLUMNS = columnsOf(
  ["region", "endpoint", "id"],
  ["tot_ops", "mean(ms)", "p50(ms)", "p95(ms)", "p99(ms)", "max(ms)", "retries", "failures"],
);

type Part = Pick<EndpointResult, "operations">;

function endpointRows(region: string, name: string, { operations }: Part): string[][] {
  return Object.entries(operations).map(([operation, result]) => {
    const { transactions, responseTimeMs: latency, retries, failures } = result;
    const ms = [latency?.mean, latency?.p50, latency?.p95, latency?.p99, latency?.max].map(
      (value) => value?.toFixed(2) ?? "-",
    );
    return [region, name, operation, String(transactions), ...ms, String(retries), String(failures)];
  });
}

/** Rows of a region's sums. A region with a single endpoint has none, since they would repeat the endpoint's row. */
function regionRows({ region, endpoints, ...rest }: RegionResult): string[][] {
  return endpoints > 1 ? endpointRows(region ?? "-", `all ${endpoints}`, rest) : [];
}

function connectionsText({
  endpoint,
  clients,
  connections,
  connects,
  refused,
  lost,
}: EndpointResult): string {
  const share = clients !== undefined ? counted(clients, "client") : counted(connections ?? 0, "connection");
  return `${endpoint} ${share} by weight, ${connects} opened, ${refused} refused, ${lost} lost`;
}

/** Table of figures by endpoint and region; empty if the result does not distinguish endpoints. */
export function renderEndpoints({ endpoints = [], regions = [] }: TreatmentFigures): string[] {
  if (endpoints.length === 0) return [];
  const listedEndpoints = endpoints.slice(0, LISTED_ENDPOINTS_MAX);
  const hidden = endpoints.length - listedEndpoints.length;
  const rows = [
    ...regions.flatMap(regionRows),
    ...listedEndpoints.flatMap((endpoint) =>
      endpointRows(endpoint.region ?? "-", endpoint.endpoint, endpoint),
    ),
  ];
  const more = hidden > 0 ? `; and ${counted(hidden, "endpoint")} more in result.json` : "";
  const contacts = `connections: ${listedEndpoints.map(connectionsText).join("; ")}${more}`;
  // The column of regions is left out if no endpoint has a region.
  const from = regions.length > 0 ? 0 : 1;
  const columns = ENDPOINT_COLUMNS.slice(from);
  const cells = rows.map((row) => row.slice(from));
  const table = renderTable(columns, rowsFittedTo(columns, cells, 1 - from));
  return ["by endpoint:", ...table, ...paragraph(contacts)];
}

import { addEncodedHistogram } from "../metrics/encoded-histogram.js";
import type { EndpointDelta } from "../metrics/endpoint-split.js";
import { createHistogram } from "../metrics/histograms.js";
import {
  zeroShareCounts,
  shareOf,
  type OperationShare,
  type ShareCounts,
} from "../metrics/operation-share.js";
import { operationsIn, type Operation } from "../metrics/operations.js";
import { addressOf, isSplitByEndpoint, type Endpoint } from "../database/endpoint.js";
import { totalClients, type TreatmentSettings } from "../scenario/settings.js";
import { clientWeightsOf } from "../scenario/connections.js";
import { countsByWeight, weightsOf } from "../database/spread.js";
import { strategyOf } from "../pools/registry.js";
import type { EndpointResult, RegionResult } from "./endpoint-schema.js";
import type { ResultDocument } from "./result-schema.js";

type RegionFigures = Omit<RegionResult, "region" | "endpoints">;

/** One addend of a sum: from a worker or from a stored result. */
type Addend = EndpointDelta | RegionFigures;

/**
 * Results by endpoint, in the order of `endpoints`, to which clients connected; each worker has one delta per endpoint.
 * Undefined if there is only one part, or no worker reported (the trial was cut off).
 */
export function endpointResults(
  endpoints: readonly Endpoint[],
  workers: readonly (readonly EndpointDelta[])[],
  settings: TreatmentSettings,
): EndpointResult[] | undefined {
  if (!isSplitByEndpoint(endpoints) || workers.length === 0) return undefined;
  const { pool } = settings;
  const weights = weightsOf(endpoints);
  const shared = strategyOf(pool).shared?.(pool);
  const clientWeights = settings.endpointPer ? clientWeightsOf(settings) : weights;
  const counts = countsByWeight(clientWeights, shared ?? totalClients(settings));
  return endpoints.map((endpoint, number) => {
    const count = counts[number] ?? 0;
    return {
      endpoint: addressOf(endpoint),
      ...(endpoint.region !== undefined && { region: endpoint.region }),
      weight: weights[number] ?? 1,
      ...(shared === undefined ? { clients: count } : { connections: count }),
      ...sumOf(
        workers.flatMap((worker) => worker[number] ?? []),
        "with histogram",
      ),
    };
  });
}

/** The results of the same endpoints summed over trials; undefined if a trial is not split by these endpoints. */
function mergedEndpoints(
  trials: readonly { readonly endpoints?: readonly EndpointResult[] | undefined }[],
): EndpointResult[] | undefined {
  const [first, ...others] = trials.map(({ endpoints }) => endpoints);
  if (!first || others.some((each) => each?.length !== first.length)) return undefined;
  return first.map(({ endpoint, region, weight, clients, connections }, number) => {
    const same = trials.flatMap(({ endpoints }) => endpoints?.[number] ?? []);
    // A pooler that train-sim starts has another port in each trial, so the port is left out.
    const isSameEndpoint = same.every((other) => other.endpoint === endpoint);
    return {
      endpoint: isSameEndpoint
        ? endpoint
        : `${endpoint.slice(0, endpoint.lastIndexOf(":"))}:* (${number + 1})`,
      ...(region !== undefined && { region }),
      weight,
      ...(clients !== undefined && { clients }),
      ...(connections !== undefined && { connections }),
      ...sumOf(same, "with histogram"),
    };
  });
}

/** Regions in the order in which the endpoints name them; empty if no endpoint has a region. */
function regionsOf(endpoints: readonly EndpointResult[]): RegionResult[] {
  if (endpoints.every(({ region }) => region === undefined)) return [];
  const names = [...new Set(endpoints.map(({ region }) => region ?? null))];
  return names.map((region) => {
    const regionEndpoints = endpoints.filter((endpoint) => (endpoint.region ?? null) === region);
    const share = (key: "clients" | "connections"): Partial<RegionFigures> =>
      regionEndpoints.every((endpoint) => endpoint[key] === undefined)
        ? {}
        : { [key]: regionEndpoints.reduce((sum, endpoint) => sum + (endpoint[key] ?? 0), 0) };
    const clientCounts = { ...share("clients"), ...share("connections") };
    return { region, endpoints: regionEndpoints.length, ...clientCounts, ...sumOf(regionEndpoints) };
  });
}

/** The keys of the document that split results by endpoint and region; empty if there is nothing to split. */
export function endpointSplitOf(endpoints: readonly EndpointResult[] | undefined): {
  endpoints?: EndpointResult[];
  regions?: RegionResult[];
} {
  if (!endpoints) return {};
  const regions = regionsOf(endpoints);
  return { endpoints: [...endpoints], ...(regions.length > 0 && { regions }) };
}

/** The split of several trials together, without histograms, which each trial stores. */
export function mergedEndpointSplit(
  trials: Parameters<typeof mergedEndpoints>[0],
): ReturnType<typeof endpointSplitOf> {
  const { endpoints, ...regions } = endpointSplitOf(mergedEndpoints(trials));
  return { ...(endpoints && { endpoints: endpoints.map(withoutHistogram) }), ...regions };
}

/** The document without encoded histograms, which are only for programs that merge them. */
export function withoutHistograms(result: ResultDocument): ResultDocument {
  const treatments = result.treatments.map((treatment) => ({
    ...treatment,
    trials: treatment.trials.map(({ endpoints, ...trial }) => ({
      ...trial,
      ...(endpoints && { endpoints: endpoints.map(withoutHistogram) }),
    })),
  }));
  return { ...result, treatments };
}

function withoutHistogram(endpoint: EndpointResult): EndpointResult {
  const operations = Object.entries(endpoint.operations).map(([operation, each]) => {
    const { responseHistogram: _histogram, ...share } = each;
    return [operation, share] as const;
  });
  return { ...endpoint, operations: Object.fromEntries(operations) };
}

function sumOf(
  addends: readonly Addend[],
  histograms?: "with histogram",
): Pick<RegionFigures, "connects" | "refused" | "lost" | "operations"> {
  const operations: Record<Operation, OperationShare> = {};
  for (const operation of operationsIn(addends.map((addend) => addend.operations))) {
    const shares = addends.flatMap((addend) => addend.operations[operation] ?? []);
    operations[operation] = sumOfShares(shares, histograms);
  }
  const total = (key: "connects" | "refused" | "lost"): number =>
    addends.reduce((sum, addend) => sum + addend[key], 0);
  return { connects: total("connects"), refused: total("refused"), lost: total("lost"), operations };
}

function sumOfShares(shares: readonly OperationShare[], histograms?: "with histogram"): OperationShare {
  const merged = createHistogram();
  const counts = zeroShareCounts();
  for (const share of shares) {
    for (const key of Object.keys(counts) as (keyof ShareCounts)[]) counts[key] += share[key];
    if (share.responseHistogram !== undefined) addEncodedHistogram(merged, share.responseHistogram);
  }
  return shareOf(counts, merged, histograms);
}

// States what happened at each endpoint: the shares that the weights gave out, what the workers saw there, and the same
// merged over trials and by region. Counts add up and histograms are merged; no percentile is made of others. Nothing is
// stated where one endpoint without a region is all there is.
import { addEncodedHistogram, encodeHistogram } from "../metrics/encoded-histogram.js";
import type { EndpointDelta } from "../metrics/endpoint-split.js";
import { createHistogram, summaryMs } from "../metrics/histograms.js";
import { operationsIn, type Operation } from "../metrics/operations.js";
import { addressOf, isSplit, type Endpoint } from "../database/endpoint.js";
import { totalClients, type TreatmentSettings } from "../scenario/settings.js";
import { countsByWeight, weightsOf } from "../database/spread.js";
import { strategyOf } from "../pools/registry.js";
import type { EndpointOperationResult, EndpointResult, RegionResult } from "./endpoint-schema.js";
import type { ResultDocument } from "./result-schema.js";

type Shares = Omit<RegionResult, "region" | "endpoints">;

/** One part of a sum, from a worker or from a stored result. */
interface Addend {
  readonly connects: number;
  readonly refused: number;
  readonly lost: number;
  readonly operations: Readonly<Record<Operation, OperationAddend>>;
}

interface OperationAddend {
  readonly transactions: number;
  readonly events: number;
  readonly retries: number;
  readonly failures: number;
  /** Encoded. */
  readonly histogram: string | undefined;
}

/**
 * By endpoint, in the order of `endpoints`, where clients connected; `workers` hold one delta for each endpoint.
 * Undefined where there is nothing to split, or no worker told (the trial was cut off).
 */
export function endpointResults(
  endpoints: readonly Endpoint[],
  workers: readonly (readonly EndpointDelta[])[],
  settings: TreatmentSettings,
): EndpointResult[] | undefined {
  if (!isSplit(endpoints) || workers.length === 0) return undefined;
  const { pool } = settings;
  const weights = weightsOf(endpoints);
  const shared = strategyOf(pool).shared?.(pool);
  const counts = countsByWeight(weights, shared ?? totalClients(settings));
  return endpoints.map((endpoint, number) => {
    const count = counts[number] ?? 0;
    return {
      endpoint: addressOf(endpoint),
      ...(endpoint.region !== undefined && { region: endpoint.region }),
      weight: weights[number] ?? 1,
      ...(shared === undefined ? { clients: count } : { connections: count }),
      ...sumOf(workers.flatMap((worker) => worker[number] ?? []).map(fromWorker), "with histograms"),
    };
  });
}

/** The same endpoints over several trials; undefined where one of those does not split by them. */
function mergedEndpoints(
  trials: readonly { readonly endpoints?: readonly EndpointResult[] | undefined }[],
): EndpointResult[] | undefined {
  const [first, ...others] = trials.map(({ endpoints }) => endpoints);
  if (!first || others.some((each) => each?.length !== first.length)) return undefined;
  return first.map(({ endpoint, region, weight, clients, connections }, number) => {
    const same = trials.flatMap(({ endpoints }) => endpoints?.[number] ?? []);
    // A pooler of ours listens at another port in each trial.
    const isNamed = same.every((other) => other.endpoint === endpoint);
    return {
      endpoint: isNamed ? endpoint : `${endpoint.slice(0, endpoint.lastIndexOf(":"))}:* (${number + 1})`,
      ...(region !== undefined && { region }),
      weight,
      ...(clients !== undefined && { clients }),
      ...(connections !== undefined && { connections }),
      ...sumOf(same.map(fromResult), "with histograms"),
    };
  });
}

/** In the order in which the endpoints name them; empty where none does. */
function regionsOf(endpoints: readonly EndpointResult[]): RegionResult[] {
  if (endpoints.every(({ region }) => region === undefined)) return [];
  const names = [...new Set(endpoints.map(({ region }) => region ?? null))];
  return names.map((region) => {
    const own = endpoints.filter((endpoint) => (endpoint.region ?? null) === region);
    const share = (key: "clients" | "connections"): Partial<Shares> =>
      own.every((endpoint) => endpoint[key] === undefined)
        ? {}
        : { [key]: own.reduce((sum, endpoint) => sum + (endpoint[key] ?? 0), 0) };
    const shares = { ...share("clients"), ...share("connections") };
    return { region, endpoints: own.length, ...shares, ...sumOf(own.map(fromResult)) };
  });
}

/** The two keys of the document that split it; none where there is nothing to split. */
export function splitOf(endpoints: readonly EndpointResult[] | undefined): {
  endpoints?: EndpointResult[];
  regions?: RegionResult[];
} {
  if (!endpoints) return {};
  const regions = regionsOf(endpoints);
  return { endpoints: [...endpoints], ...(regions.length > 0 && { regions }) };
}

/** The split of several trials together, without the histograms: those are in the trials. */
export function mergedSplit(trials: Parameters<typeof mergedEndpoints>[0]): ReturnType<typeof splitOf> {
  const { endpoints, ...regions } = splitOf(mergedEndpoints(trials));
  return { ...(endpoints && { endpoints: endpoints.map(withoutHistogram) }), ...regions };
}

/** For people: the encoded histograms are for programs that merge them. */
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
    const { transactions, events, retries, failures, responseTimeMs } = each;
    return [operation, { transactions, events, retries, failures, responseTimeMs }];
  });
  return { ...endpoint, operations: Object.fromEntries(operations) as EndpointResult["operations"] };
}

function fromWorker({ operations, connects, refused, lost }: EndpointDelta): Addend {
  const addends = Object.entries(operations).map(([operation, { responses, ...counts }]) => [
    operation,
    { ...counts, histogram: responses },
  ]);
  return { connects, refused, lost, operations: Object.fromEntries(addends) as Addend["operations"] };
}

function fromResult({ connects, refused, lost, operations }: EndpointResult): Addend {
  const addends = Object.entries(operations).map(([operation, each]) => [
    operation,
    { ...each, histogram: each.responseHistogram },
  ]);
  return { connects, refused, lost, operations: Object.fromEntries(addends) as Addend["operations"] };
}

function sumOf(
  addends: readonly Addend[],
  histograms?: "with histograms",
): Pick<Shares, "connects" | "refused" | "lost" | "operations"> {
  const operations: Record<Operation, EndpointOperationResult> = {};
  for (const operation of operationsIn(addends.map((addend) => addend.operations))) {
    const parts = addends.flatMap((addend) => addend.operations[operation] ?? []);
    operations[operation] = operationSum(parts, histograms);
  }
  const total = (key: "connects" | "refused" | "lost"): number =>
    addends.reduce((sum, addend) => sum + addend[key], 0);
  return { connects: total("connects"), refused: total("refused"), lost: total("lost"), operations };
}

function operationSum(
  parts: readonly OperationAddend[],
  histograms?: "with histograms",
): EndpointOperationResult {
  const merged = createHistogram();
  const sum = { transactions: 0, events: 0, retries: 0, failures: 0 };
  for (const part of parts) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += part[key];
    if (part.histogram !== undefined) addEncodedHistogram(merged, part.histogram);
  }
  const responseTimeMs = summaryMs(merged);
  const isKept = histograms !== undefined && responseTimeMs !== null;
  return { ...sum, responseTimeMs, ...(isKept && { responseHistogram: encodeHistogram(merged) }) };
}

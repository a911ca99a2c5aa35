import { parse } from "yaml";
import type { Space } from "../../analysis/recommend/search.js";
import { combine, levelNames, type Levels } from "../../scenario/plan/matrix.js";
import type { Experiment } from "../../scenario/settings.js";
import type { Mapping } from "../../syntax/paths.js";

export interface Configuration {
  readonly id: string;
  readonly levels: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface ConfigurationSpace extends Space {
  readonly configurations: readonly Configuration[];
}

function isOrdered(levels: readonly Levels[], factor: string): boolean {
  return levels.every((one) => /^\d/.test(one.get(factor)?.text ?? "0"));
}

/** Whether two configurations differ in one factor only; if its levels are ordered, by one level. */
function areNeighbours(a: Levels, b: Levels, order: ReadonlyMap<string, readonly string[]>): boolean {
  const factors = new Set([...a.keys(), ...b.keys()]);
  const differingFactors = [...factors].filter((factor) => a.get(factor)?.key !== b.get(factor)?.key);
  const [factor] = differingFactors;
  if (factor === undefined || differingFactors.length > 1) return false;
  const places = order.get(factor);
  if (!places) return true;
  const levelIndexOf = (levels: Levels): number => places.indexOf(levels.get(factor)?.key ?? "");
  return Math.abs(levelIndexOf(a) - levelIndexOf(b)) === 1;
}

export function spaceOf({ yaml, treatments }: Experiment): ConfigurationSpace {
  const scenarioMapping = parse(yaml) as Mapping;
  const combinations = combine(scenarioMapping, levelNames(scenarioMapping), new Set(), []);
  const factors = [...new Set(combinations.flatMap((levels) => [...levels.keys()]))];
  const order = new Map(
    factors
      .filter((factor) => isOrdered(combinations, factor))
      .map((factor) => [factor, [...new Set(combinations.map((levels) => levels.get(factor)?.key ?? ""))]]),
  );
  const neighbours = combinations.map((own) =>
    combinations.flatMap((other, i) => (areNeighbours(own, other, order) ? [i] : [])),
  );
  return {
    count: combinations.length,
    present: 0,
    neighbours: (one) => neighbours[one] ?? [],
    configurations: combinations.map((levels, i) => ({
      id: treatments[i]?.id ?? "",
      levels: treatments[i]?.levels ?? {},
      values: Object.fromEntries([...levels].map(([factor, { value }]) => [factor, value])),
    })),
  };
}

/** Overrides that reduce a scenario to these configurations, in this order, without its thresholds. */
export function configurationSetOverrides(configurations: readonly Configuration[]): string[] {
  const include = configurations.map(({ values }) => values);
  const none = ["factors={}", "exclude=[]", "thresholds={}", "published=[]", "order=interleaved"];
  return [...none, `include=${JSON.stringify(include)}`];
}

/** Overrides that reduce a scenario to one configuration, without factors and settings that need several treatments. */
export function singleConfigurationOverrides(
  { values }: Configuration,
  { stopping }: Pick<Experiment, "stopping">,
): string[] {
  const assignments = Object.entries(values).map(([path, value]) => `${path}=${JSON.stringify(value)}`);
  const none = [
    "factors={}",
    "exclude=[]",
    "include=[]",
    "thresholds={}",
    "published=[]",
    "order=interleaved",
  ];
  return [...none, ...(stopping?.min === undefined ? [] : [`trials=${stopping.min}`]), ...assignments];
}

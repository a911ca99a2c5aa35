// Places of workloads in a raw scenario: the scenario itself, levels of its factors, and entries of `include` and `exclude`.
import { isMapping, type Mapping, type Path } from "../syntax/paths.js";

/** Keys of a workload of pgbench whose values are paths of files, and which may vary. */
const FILE_KEYS = ["pgbench", "tables"] as const;

/** A place of a raw scenario at which a workload stands, or one of its keys. */
export interface WorkloadPlace {
  readonly holder: Mapping | unknown[];
  readonly key: string | number;
  readonly at: Path;
  /** Key of the workload whose value stands here; undefined for a whole workload. */
  readonly part?: (typeof FILE_KEYS)[number];
}

export function writtenAt({ holder, key }: WorkloadPlace): unknown {
  return (holder as Mapping)[key];
}

/** The places at which whole workloads stand in a raw scenario. */
export function workloadPlaces(raw: Mapping): WorkloadPlace[] {
  const own: WorkloadPlace = { holder: raw, key: "workload", at: ["workload"] };
  return [own, ...variedPlaces(raw, "workload")].filter((place) => writtenAt(place) !== undefined);
}

/** The places at which a raw scenario varies files of its workload, such as levels of `workload.tables`. */
export function workloadPartPlaces(raw: Mapping): WorkloadPlace[] {
  return FILE_KEYS.flatMap((part) =>
    variedPlaces(raw, `workload.${part}`)
      .map((place): WorkloadPlace => ({ ...place, part }))
      .filter((place) => writtenAt(place) !== undefined),
  );
}

function variedPlaces(raw: Mapping, factor: string): WorkloadPlace[] {
  const levels = isMapping(raw["factors"]) ? raw["factors"][factor] : undefined;
  const entriesOf = (list: "include" | "exclude"): WorkloadPlace[] =>
    (Array.isArray(raw[list]) ? (raw[list] as unknown[]) : []).flatMap((holder, i) =>
      isMapping(holder) ? [{ holder, key: factor, at: [list, i, factor] }] : [],
    );
  return [
    ...(Array.isArray(levels)
      ? levels.map((_, key): WorkloadPlace => ({ holder: levels, key, at: ["factors", factor, key] }))
      : []),
    ...entriesOf("include"),
    ...entriesOf("exclude"),
  ];
}

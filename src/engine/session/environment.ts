// Results are comparable, and a run is continued, only where versions, settings and machine agree.
import { machineFacts } from "../../foundation/machine.js";
import type { Environment } from "../../results/result-schema.js";
import { POOLER_PRODUCTS } from "../../pools/registry.js";
import type { PoolerVersion } from "../trial/pooler.js";
import type { OpenTarget } from "./target-keeper.js";

/** Separates the values of a fact that differed from server to server, because it is a factor. */
const FACT_VALUE_SEPARATOR = " | ";
const POOLER_VERSION_SEPARATOR = ", ";

type Facts = Readonly<Record<string, string>>;

/** Each fact with all of its distinct values over the servers; a server that lacks the fact adds no value. */
function mergeFacts(servers: readonly Facts[]): Record<string, string> {
  const values = new Map<string, Set<string>>();
  for (const facts of servers) {
    for (const [name, value] of Object.entries(facts)) {
      const seen = values.get(name) ?? new Set<string>();
      for (const each of value.split(FACT_VALUE_SEPARATOR)) seen.add(each);
      values.set(name, seen);
    }
  }
  return Object.fromEntries([...values].map(([name, seen]) => [name, [...seen].join(FACT_VALUE_SEPARATOR)]));
}

/** Whether `value` is a value of the stated fact; a fact that differed between servers states several. */
export function isFactValue(factValue: string, value: string): boolean {
  return factValue === value || factValue.split(FACT_VALUE_SEPARATOR).includes(value);
}

function versionsWithoutPoolers(versions: Facts): Facts {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => !POOLER_PRODUCTS.has(name)));
}

/** Versions of poolers by product, including the versions of an earlier part of the run. */
function poolerVersions(earlier: Facts, poolers: readonly PoolerVersion[]): Facts {
  const all = [...POOLER_PRODUCTS].map((product): [string, Set<string>] => {
    const now = poolers.filter((each) => each.product === product).map(({ version }) => version);
    return [product, new Set([...(earlier[product]?.split(POOLER_VERSION_SEPARATOR) ?? []), ...now])];
  });
  const seen = all.filter(([, versions]) => versions.size > 0);
  return Object.fromEntries(
    seen.map(([product, versions]) => [product, [...versions].join(POOLER_VERSION_SEPARATOR)]),
  );
}

/**
 * The environment that the result states. `poolers` took part; `earlier` is the environment of the trials of an interrupted
 * run.
 */
export function environmentOf(
  programVersion: string,
  targets: readonly Pick<OpenTarget, "server" | "target">[],
  poolers: readonly PoolerVersion[],
  earlier?: Environment,
): Environment {
  const { nodeVersion, ...machine } = machineFacts();
  const earlierVersions = earlier?.versions ?? {};
  const onTmpfs = [...new Set(targets.flatMap(({ target }) => Object.keys(target.control?.disks ?? {})))];
  const { target: earlierKinds, ...earlierMachine } = earlier?.machine ?? {};
  const kinds = new Set([
    ...(typeof earlierKinds === "string" ? earlierKinds.split(FACT_VALUE_SEPARATOR) : []),
    ...targets.map(({ target }) => target.kind),
  ]);
  return {
    versions: {
      ...mergeFacts([
        versionsWithoutPoolers(earlierVersions),
        { "train-sim": programVersion, node: nodeVersion },
        ...targets.map(({ server }) => ({ [server.product]: server.version, server: server.versionText })),
      ]),
      ...poolerVersions(earlierVersions, poolers),
    },
    settings: mergeFacts([
      ...(earlier ? [earlier.settings] : []),
      ...targets.map(({ server }) => server.settings),
    ]),
    machine: {
      ...machine,
      target: kinds.size > 0 ? [...kinds].join(FACT_VALUE_SEPARATOR) : "none",
      ...(onTmpfs.length > 0 && { onTmpfs: onTmpfs.join(", ") }),
      ...earlierMachine,
    },
  };
}

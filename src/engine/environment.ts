// Where an experiment ran, as the result states it: versions of everything that took part, the server's settings,
// the machine. Two results are comparable only where these agree, and an interrupted experiment goes on only there.
import { machineFacts } from "../foundation/machine.js";
import type { Environment } from "../results/result-schema.js";
import type { KeptTarget } from "./target-keeper.js";

/** Between the values of a setting that differed from server to server, because it is a factor. */
const BETWEEN_VALUES = " | ";
const BETWEEN_VERSIONS = ", ";

type Settings = Readonly<Record<string, string>>;

/** Each setting with the values it had, once each; one that is missing on some server is simply not there. */
function settingsOfAll(servers: readonly Settings[]): Record<string, string> {
  const values = new Map<string, Set<string>>();
  for (const settings of servers) {
    for (const [name, value] of Object.entries(settings)) {
      const seen = values.get(name) ?? new Set<string>();
      for (const each of value.split(BETWEEN_VALUES)) seen.add(each);
      values.set(name, seen);
    }
  }
  return Object.fromEntries([...values].map(([name, seen]) => [name, [...seen].join(BETWEEN_VALUES)]));
}

/**
 * `poolers` are the versions of the PgBouncers that took part; `earlier` is where the trials ran that an interrupted
 * run of this experiment left.
 */
export function environmentOf(
  programVersion: string,
  targets: readonly Pick<KeptTarget, "server" | "target">[],
  poolers: ReadonlySet<string>,
  earlier?: Environment,
): Environment {
  const { nodeVersion, ...machine } = machineFacts();
  const [first] = targets;
  const earlierPoolers = earlier?.versions["PgBouncer"]?.split(BETWEEN_VERSIONS) ?? [];
  const allPoolers = [...new Set([...earlierPoolers, ...poolers])];
  const onTmpfs = [...new Set(targets.flatMap(({ target }) => Object.keys(target.control?.disks ?? {})))];
  return {
    versions: {
      "train-sim": programVersion,
      node: nodeVersion,
      ...(first && { [first.server.product]: first.server.version, server: first.server.versionText }),
      ...earlier?.versions,
      ...(allPoolers.length > 0 && { PgBouncer: allPoolers.join(BETWEEN_VERSIONS) }),
    },
    settings: settingsOfAll([
      ...(earlier ? [earlier.settings] : []),
      ...targets.map(({ server }) => server.settings),
    ]),
    machine: {
      ...machine,
      target: first?.target.kind ?? "none",
      ...(onTmpfs.length > 0 && { onTmpfs: onTmpfs.join(", ") }),
      ...earlier?.machine,
    },
  };
}

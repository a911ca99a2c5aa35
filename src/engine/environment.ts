// Where an experiment ran, as the result states it: versions of everything that took part, the server's settings,
// the machine. Two results are comparable only where these agree.
import { machineFacts } from "../foundation/machine.js";
import type { Environment } from "../results/result-schema.js";
import type { KeptTarget } from "./target-keeper.js";

/** `poolers` are the versions of the PgBouncers that took part. */
export function environmentOf(
  programVersion: string,
  targets: readonly Pick<KeptTarget, "server" | "target">[],
  poolers: ReadonlySet<string>,
): Environment {
  const { nodeVersion, ...machine } = machineFacts();
  const [first] = targets;
  return {
    versions: {
      "train-sim": programVersion,
      node: nodeVersion,
      ...(first && { [first.server.product]: first.server.version, server: first.server.versionText }),
      ...(poolers.size > 0 && { PgBouncer: [...poolers].join(", ") }),
    },
    settings: { ...first?.server.settings },
    machine: { ...machine, target: first?.target.kind ?? "none" },
  };
}

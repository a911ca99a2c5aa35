// The kinds of a bad network. All are one thing: a condition that the proxies between the trial's parts are put under,
// and a sentence on what it did. The proxies are there from the trial's start, so that nobody reconnects for the fault.
import type { FaultKindName, FaultOf, NetworkPlace } from "./faults.js";
import type { NetworkCondition } from "./means/condition.js";
import type { NetworkEffect } from "./means/tcp-proxy.js";
import { counted, formatDuration, formatSize } from "../foundation/units.js";
import type { FaultKind } from "./fault.js";

type NetworkKind = Extract<FaultKindName, `network-${string}`>;

/** `wordsOf` is given whose connections they were, and what came of it so far. */
function networkKind<K extends NetworkKind>(
  conditionOf: (fault: FaultOf<K>) => NetworkCondition,
  wordsOf: (fault: FaultOf<K>, connections: string, effect: NetworkEffect) => string,
): FaultKind<K> {
  return {
    async inject({ networks }, fault) {
      const { between } = fault as { readonly between: NetworkPlace };
      const network = networks[between];
      if (!network) throw new Error(`the trial has no network at ${between}`);
      let effect = await network.suffer(conditionOf(fault));
      const whose = between === "clients" ? "of the clients" : "of PgBouncer to the server";
      return {
        get words() {
          return wordsOf(fault, `${counted(effect.connections, "connection")} ${whose}`, effect);
        },
        async clear() {
          effect = await network.mend();
        },
      };
    },
  };
}

export const networkLatency = networkKind<"network-latency">(
  ({ latencyMs, jitterMs }) => ({ kind: "latency", latencyMs, jitterMs }),
  ({ latencyMs, jitterMs }, connections) => {
    const jitter = jitterMs > 0 ? `, give or take ${formatDuration(jitterMs)}` : "";
    return `delayed ${connections} by ${formatDuration(latencyMs)} each way${jitter}`;
  },
);

export const networkBandwidth = networkKind<"network-bandwidth">(
  ({ bytesPerSecond }) => ({ kind: "bandwidth", bytesPerSecond }),
  ({ bytesPerSecond }, connections) =>
    `let ${connections} carry ${formatSize(bytesPerSecond)}/s each way together`,
);

export const networkBlackhole = networkKind<"network-blackhole">(
  () => ({ kind: "blackhole" }),
  (_, connections) => `let ${connections} carry nothing`,
);

export const networkRefuse = networkKind<"network-refuse">(
  ({ drop }) => ({ kind: "refuse", drop }),
  ({ drop }, connections) => `refused new connections and ${drop ? "reset" : "kept"} ${connections}`,
);

export const networkReset = networkKind<"network-reset">(
  () => ({ kind: "reset" }),
  (_, connections) => `reset ${connections}`,
);

export const networkResetCommits = networkKind<"network-reset-commits">(
  ({ share }) => ({ kind: "reset-commits", share }),
  (_, __, { resets, commitsLost, answersLost }) =>
    `reset ${counted(resets, "connection")} at a COMMIT: ${commitsLost} before the server had it, ` +
    `${answersLost} before its answer came back`,
);

// The faults of the network: each is a condition for the proxies and a sentence on its effect. The proxies exist from the
// trial's start, so that no client reconnects for the fault.
import * as z from "zod";
import { tlsModeOf } from "../database/urls.js";
import { counted, formatDuration, formatSize } from "../foundation/units.js";
import { duration, size } from "../syntax/scalars.js";
import {
  defineFault,
  drop,
  faultDuration,
  NETWORK_PLACES,
  share,
  shareOf,
  type FaultKind,
  type FaultContext,
  type NetworkPlace,
} from "./fault.js";
import type { NetworkCondition } from "./means/condition.js";
import type { NetworkEffect } from "./means/tcp-proxy.js";
import { hasPooler, poolerKindOf } from "../pools/registry.js";
import { foreignPoolerObstacle } from "./pooler.js";
import { standbyObstacle } from "./standby.js";

const MINUTE_MS = 60_000;
const KB_BYTES = 1024;
const NETWORK_FAULT_DESCRIPTION = "the network is slow, narrow, carries nothing, refuses connections";

const between = z.enum(NETWORK_PLACES).optional().meta({
  description:
    "clients: connections of the clients, to the server or to the pooler; pooler: connections of the pooler to the server; replication: connections of standbys to the primary. Default clients.",
});

interface NetworkFault {
  readonly between: NetworkPlace;
}

interface NetworkKind<Name extends string, Keys extends z.ZodRawShape, Settings extends object> extends Pick<
  FaultKind<Name, Keys, Settings>,
  "name" | "description" | "keys" | "examples" | "resolve"
> {
  readonly obstacle?: (fault: Settings & NetworkFault, surroundings: FaultContext) => string | undefined;
  conditionOf(fault: Settings): NetworkCondition;
  /** Sentence on the fault's effect so far; `connections` is the name of the affected connections. */
  wordsOf(fault: Settings, connections: string, effect: NetworkEffect): string;
}

function networkKind<const Name extends string, Keys extends z.ZodRawShape, Settings extends object>(
  kind: NetworkKind<Name, Keys, Settings>,
) {
  return defineFault({
    ...kind,
    keys: { between, ...kind.keys },
    affectedPart: "network",
    resolve: (given): Settings & NetworkFault => ({
      ...kind.resolve(given),
      between: (given as Partial<NetworkFault>).between ?? "clients",
    }),
    networkPlace: (fault) => fault.between,
    obstacle: (fault, surroundings) =>
      networkObstacle(fault.between, surroundings) ?? kind.obstacle?.(fault, surroundings),
    async inject({ networks, pooler }, fault) {
      const whose: Record<NetworkPlace, string> = {
        clients: "of the clients",
        pooler: `of ${pooler?.product ?? "the pooler"} to the server`,
        replication: "of the standbys to the primary",
      };
      const network = networks[fault.between];
      if (!network) throw new Error(`the trial has no network at ${fault.between}`);
      let effect = await network.apply(kind.conditionOf(fault));
      return {
        get words() {
          return kind.wordsOf(
            fault,
            `${counted(effect.connections, "connection")} ${whose[fault.between]}`,
            effect,
          );
        },
        async clear() {
          effect = await network.clear();
        },
      };
    },
  });
}

function networkObstacle(place: NetworkPlace, surroundings: FaultContext): string | undefined {
  if (place === "clients") return undefined;
  if (place === "replication") {
    const obstacle = standbyObstacle(surroundings);
    return obstacle === undefined ? undefined : `between: replication ${obstacle}`;
  }
  const obstacle = foreignPoolerObstacle(surroundings);
  if (obstacle !== undefined) return `between: pooler ${obstacle}`;
  const serverObstacle = serverCheckObstacle(surroundings);
  return serverObstacle === undefined ? undefined : `between: pooler ${serverObstacle}`;
}

/** Reason why a proxy cannot stand between the pooler and the server; undefined if it can. */
export function serverCheckObstacle({ pool, target }: FaultContext): string | undefined {
  if (target.kind !== "url" || target.urls.every(({ url }) => tlsModeOf(url, target) !== "verify-full"))
    return undefined;
  return `puts a proxy before the server, so ${hasPooler(pool) ? poolerKindOf(pool).product : "the pooler"} cannot check the server's name: use sslmode verify-ca`;
}

export const networkLatency = networkKind({
  name: "network-latency",
  description: NETWORK_FAULT_DESCRIPTION,
  keys: {
    for: faultDuration,
    latency: duration("Delay added to each piece of data, each way.", 0.1, MINUTE_MS),
    jitter: duration(
      "Largest deviation of the latency, uniform in both directions. Default 0.",
      0,
      MINUTE_MS,
    ).optional(),
  },
  examples: { latency: "50ms" },
  /** Latency, in milliseconds, of each direction. */
  resolve: ({ latency, jitter = 0 }) => ({ latencyMs: latency, jitterMs: jitter }),
  obstacle: ({ latencyMs, jitterMs }) =>
    jitterMs > latencyMs ? "cannot have a jitter above its latency" : undefined,
  conditionOf: ({ latencyMs, jitterMs }) => ({ kind: "latency", latencyMs, jitterMs }),
  wordsOf({ latencyMs, jitterMs }, connections) {
    const jitter = jitterMs > 0 ? `, give or take ${formatDuration(jitterMs)}` : "";
    return `delayed ${connections} by ${formatDuration(latencyMs)} each way${jitter}`;
  },
});

export const networkBandwidth = networkKind({
  name: "network-bandwidth",
  description: NETWORK_FAULT_DESCRIPTION,
  keys: {
    for: faultDuration,
    bandwidth: size("Bytes a second, each way, over all connections together.", KB_BYTES, KB_BYTES ** 4),
  },
  examples: { bandwidth: "1MB" },
  resolve: ({ bandwidth }) => ({ bytesPerSecond: bandwidth }),
  conditionOf: ({ bytesPerSecond }) => ({ kind: "bandwidth", bytesPerSecond }),
  wordsOf: ({ bytesPerSecond }, connections) =>
    `let ${connections} carry ${formatSize(bytesPerSecond)}/s each way together`,
});

export const networkBlackhole = networkKind({
  name: "network-blackhole",
  description: NETWORK_FAULT_DESCRIPTION,
  keys: { for: faultDuration },
  resolve: () => ({}),
  conditionOf: () => ({ kind: "blackhole" }),
  wordsOf: (_, connections) => `let ${connections} carry nothing`,
});

export const networkRefuse = networkKind({
  name: "network-refuse",
  description: NETWORK_FAULT_DESCRIPTION,
  keys: { for: faultDuration, drop: drop.optional() },
  /** True if open connections are reset; false if only new connections are refused. */
  resolve: ({ drop: isDropped = true }) => ({ drop: isDropped }),
  conditionOf: (fault) => ({ kind: "refuse", drop: fault.drop }),
  wordsOf: (fault, connections) =>
    `refused new connections and ${fault.drop ? "reset" : "kept"} ${connections}`,
});

export const networkReset = networkKind({
  name: "network-reset",
  description: "it breaks every connection",
  keys: {},
  resolve: () => ({}),
  conditionOf: () => ({ kind: "reset" }),
  wordsOf: (_, connections) => `reset ${connections}`,
});

export const networkResetCommits = networkKind({
  name: "network-reset-commits",
  description: "it breaks connections at their COMMIT",
  keys: {
    for: faultDuration,
    commits: share.optional().meta({
      description: "Share of the COMMITs that cost their connection. Default 50%.",
    }),
  },
  resolve: ({ commits = "50%" }) => ({ share: shareOf(commits) }),
  obstacle: hiddenCommitsObstacle,
  conditionOf: (fault) => ({ kind: "reset-commits", share: fault.share }),
  wordsOf: (_, __, { resets, commitsLost, answersLost }) =>
    `reset ${counted(resets, "connection")} at a COMMIT: ${commitsLost} before the server had it, ` +
    `${answersLost} before its answer came back`,
});

function hiddenCommitsObstacle(
  fault: NetworkFault,
  { pool, target, noCommitReason }: FaultContext,
): string | undefined {
  if (fault.between === "replication") return "needs COMMITs, which standbys do not send";
  if (noCommitReason !== undefined) return `needs transactions that end with COMMIT, and ${noCommitReason}`;
  const isTargetHidden =
    target.kind === "url"
      ? target.urls.some(({ url }) => tlsModeOf(url, target) !== "disable")
      : "tls" in target;
  const areCommitsHidden =
    hasPooler(pool) && fault.between === "clients"
      ? ("login" in pool && pool.login === "certificate") ||
        "tls" in target ||
        pool.urls.some(({ url }) => tlsModeOf(url) !== "disable")
      : isTargetHidden;
  return areCommitsHidden ? "reads what is sent to find the COMMITs, which TLS hides" : undefined;
}

// Messages between the coordinator and the network's thread: one command at a time, one answer each.
import type { NetConnectOpts } from "node:net";
import type { NetworkCondition } from "./condition.js";
import type { NetworkEffect } from "./tcp-proxy.js";

/** What the thread is started with. */
export interface NetworkPlan {
  readonly upstreams: readonly NetConnectOpts[];
  readonly seed: number;
}

export type NetworkCommand =
  | { readonly kind: "suffer"; readonly condition: NetworkCondition }
  | { readonly kind: "mend" }
  | { readonly kind: "close" };

export type NetworkAnswer =
  /** Of the upstreams, in order. */
  | { readonly kind: "listening"; readonly ports: readonly number[] }
  /** Of the present condition, or the one that has just been mended, all proxies together. */
  | { readonly kind: "done"; readonly effect: NetworkEffect }
  | { readonly kind: "failed"; readonly reason: string };

// Messages between the coordinator and the network's thread: one command at a time, one answer each.
import type { NetConnectOpts } from "node:net";
import type { NetworkCondition } from "./condition.js";
import type { NetworkEffect } from "./tcp-proxy.js";

export interface NetworkPlan {
  readonly upstreams: readonly NetConnectOpts[];
  readonly seed: number;
}

export type NetworkCommand =
  | { readonly kind: "suffer"; readonly condition: NetworkCondition }
  | { readonly kind: "mend" }
  | { readonly kind: "redirect"; readonly upstreams: readonly NetConnectOpts[] }
  | { readonly kind: "close" };

export type NetworkAnswer =
  /** The proxies listen; `ports` are in the order of the upstreams. */
  | { readonly kind: "listening"; readonly ports: readonly number[] }
  /** A command was carried out; `effect` is that of the present or just cleared condition, over all proxies. */
  | { readonly kind: "done"; readonly effect: NetworkEffect }
  | { readonly kind: "failed"; readonly reason: string };

// Conditions of a network, as values that can cross a thread, and the time at which bytes may leave under a condition.
import type { Prng } from "../../foundation/prng.js";

/** A disturbance of the network. It affects both directions in the same way, but independently of each other. */
export type NetworkCondition =
  /** Delays each piece of bytes by that time each way, plus or minus a uniform jitter; pieces stay in order. */
  | { readonly kind: "latency"; readonly latencyMs: number; readonly jitterMs: number }
  /** Limits all connections together to that many bytes a second each way. */
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  /** Accepts and keeps connections, but lets no bytes pass. */
  | { readonly kind: "blackhole" }
  /** Refuses new connections; `drop` also resets open ones. */
  | { readonly kind: "refuse"; readonly drop: boolean }
  /** Resets each open connection once. */
  | { readonly kind: "reset" }
  | { readonly kind: "reset-commits"; readonly share: number };

/** One direction of the network, which all connections share. */
export interface Link {
  /** False if no bytes pass. */
  readonly isOpen: boolean;
  /** Maximum size in bytes of a piece that passes as a whole. */
  readonly pieceBytes: number;
  /**
   * Moment, in monotonic milliseconds, at which a piece that came at `cameMs` may leave. Called once for each piece of a
   * pipe.
   */
  departureMs(bytes: number, cameMs: number, nowMs: number): number;
}

/** A link without delay. */
export const CLEAR_LINK: Link = { isOpen: true, pieceBytes: Number.POSITIVE_INFINITY, departureMs: () => 0 };

/** Milliseconds for which the largest piece occupies the link, so that connections take turns. */
const PIECE_MS = 20;
/** Burst that an idle link carries at once, in milliseconds of its rate. */
const BURST_MS = 50;

/** A link of limited rate: a token bucket that states when the tokens for a piece will be available. */
function narrowLink(bytesPerSecond: number): Link {
  const bytesPerMs = bytesPerSecond / 1000;
  let linkFreeAtMs = 0;
  return {
    isOpen: true,
    pieceBytes: Math.max(1, Math.floor(bytesPerMs * PIECE_MS)),
    departureMs(bytes, _, nowMs) {
      linkFreeAtMs = Math.max(linkFreeAtMs, nowMs - BURST_MS) + bytes / bytesPerMs;
      return linkFreeAtMs;
    },
  };
}

function slowLink(latencyMs: number, jitterMs: number, prng: Prng): Link {
  return {
    ...CLEAR_LINK,
    departureMs: (_, cameMs) => cameMs + latencyMs + jitterMs * (2 * prng.float() - 1),
  };
}

/** One direction of the network under that condition. Conditions that refuse or reset connections do not delay bytes. */
export function linkUnder(condition: NetworkCondition, prng: Prng): Link {
  switch (condition.kind) {
    case "latency":
      return slowLink(condition.latencyMs, condition.jitterMs, prng);
    case "bandwidth":
      return narrowLink(condition.bytesPerSecond);
    case "blackhole":
      return { ...CLEAR_LINK, isOpen: false };
    case "refuse":
    case "reset":
    case "reset-commits":
      return CLEAR_LINK;
  }
}

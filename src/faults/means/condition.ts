// Conditions of a network, as values that can cross a thread, and the time at which bytes may leave under a condition.
import type { Prng } from "../../foundation/prng.js";

/** A disturbance of the network. It affects both directions alike and independently. */
export type NetworkCondition =
  /** Each piece of bytes takes that long each way, plus or minus a uniform jitter; the order stays. */
  | { readonly kind: "latency"; readonly latencyMs: number; readonly jitterMs: number }
  /** All connections together carry that many bytes a second each way. */
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  /** Connections are accepted and kept, but carry nothing. */
  | { readonly kind: "blackhole" }
  /** New connections are refused; `drop` also resets open ones. */
  | { readonly kind: "refuse"; readonly drop: boolean }
  /** Each open connection is reset once. */
  | { readonly kind: "reset" }
  | { readonly kind: "reset-commits"; readonly share: number };

/** One direction of the network, which all connections share. */
export interface Link {
  /** False if nothing passes. */
  readonly isOpen: boolean;
  /** Size of the largest piece, in bytes. */
  readonly pieceBytes: number;
  /** Monotonic moment at which a piece that came at `cameMs` may leave; asked once for each piece of a pipe. */
  leaveMs(bytes: number, cameMs: number, nowMs: number): number;
}

/** A link without delay. */
export const CLEAR_LINK: Link = { isOpen: true, pieceBytes: Number.POSITIVE_INFINITY, leaveMs: () => 0 };

/** Milliseconds for which a piece occupies the link, so that connections take turns. */
const PIECE_MS = 20;
/** Burst that an idle link may carry at once, in milliseconds of its rate. */
const BURST_MS = 50;

/** A token bucket that states when its tokens for a piece are available. */
function narrowLink(bytesPerSecond: number): Link {
  const bytesPerMs = bytesPerSecond / 1000;
  let freeMs = 0;
  return {
    isOpen: true,
    pieceBytes: Math.max(1, Math.floor(bytesPerMs * PIECE_MS)),
    leaveMs(bytes, _, nowMs) {
      freeMs = Math.max(freeMs, nowMs - BURST_MS) + bytes / bytesPerMs;
      return freeMs;
    },
  };
}

function slowLink(latencyMs: number, jitterMs: number, prng: Prng): Link {
  return {
    ...CLEAR_LINK,
    leaveMs: (_, cameMs) => cameMs + latencyMs + jitterMs * (2 * prng.float() - 1),
  };
}

/** One direction under that condition; conditions of connections do not delay bytes. */
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

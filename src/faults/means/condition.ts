// Conditions of a network, as values that can cross a thread, and the time at which bytes may leave under a condition.
import type { Prng } from "../../foundation/prng.js";

/** A network that is not as it should be. Both ways are alike, and independent of each other. */
export type NetworkCondition =
  /** Each piece of bytes takes so long each way, give or take the jitter, uniform; the order stays. */
  | { readonly kind: "latency"; readonly latencyMs: number; readonly jitterMs: number }
  /** All connections together carry so many bytes a second, each way. */
  | { readonly kind: "bandwidth"; readonly bytesPerSecond: number }
  /** Connections are accepted and kept, and nothing passes. */
  | { readonly kind: "blackhole" }
  /** Nobody listens; `drop` resets the connections that are open, too. */
  | { readonly kind: "refuse"; readonly drop: boolean }
  /** Each open connection is reset, once. */
  | { readonly kind: "reset" }
  /** That share (0..1) of the COMMITs costs its connection, half of them before the server has heard of it. */
  | { readonly kind: "reset-commits"; readonly share: number };

/** One direction of the network, shared by all connections. */
export interface Link {
  /** False where nothing passes. */
  readonly isOpen: boolean;
  /** Most bytes that pass as one piece. */
  readonly pieceBytes: number;
  /**
   * When a piece that came at `cameMs` may leave, in monotonic milliseconds. Asked once a piece, when it is the first
   * of its pipe.
   */
  leaveMs(bytes: number, cameMs: number, nowMs: number): number;
}

/** A clear link holds nothing up. */
export const CLEAR_LINK: Link = { isOpen: true, pieceBytes: Number.POSITIVE_INFINITY, leaveMs: () => 0 };

/** A piece holds the link for so long, so that connections take turns. */
const PIECE_MS = 20;
/** What a link that was idle may carry at once, in milliseconds of its rate. */
const BURST_MS = 50;

/** A token bucket, told by when its tokens for all that was asked have come. */
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

/** One direction under that condition; conditions that are about connections leave bytes alone. */
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

import * as z from "zod";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import { describeMembers, taggedUnion, type KeyWords } from "../syntax/tagged-union.js";
import {
  faultDuration,
  type FaultHost,
  type FaultContext,
  type AffectedPart,
  type ActiveFault,
} from "./fault.js";
import {
  FAULT_KINDS,
  FAULTS,
  kindOf,
  type AnyFaultKind,
  type Fault,
  type FaultKindName,
} from "./registry.js";

const MAX_FAULTS = 1000;
const WEEK_MS = 7 * 24 * HOUR_MS;

const words: KeyWords = {
  unknownKeyText: ({ name }, key) => (key === "for" ? `${name} has no length; remove for` : undefined),
  lack({ name }, key) {
    if (key === "for") return `${name} needs a for (its length), such as for: 5s`;
    const { examples = {} }: AnyFaultKind = kindOf(name as FaultKindName);
    return `${name} needs a ${key}, such as ${key}: ${examples[key] ?? "..."}`;
  },
};

const Fault = taggedUnion({
  tag: "kind",
  common: {
    at: duration("Time of its begin, from the start of the measurement window.", 0, WEEK_MS),
    kind: z.enum(FAULT_KINDS).meta({
      description: `${describeMembers(FAULTS)}. docs/reference/faults.md describes each.`,
    }),
  },
  members: FAULTS,
  vocabulary: { for: faultDuration },
  words,
});

export const Faults = z.array(Fault).max(MAX_FAULTS).prefault([]).meta({
  description:
    "Faults of each trial, with their times. Every fault is cleared at the end of the window, so that the drain and the audit find a healthy system.",
});

/**
 * Fills in the defaults of a fault and converts shares to numbers. Refuses nothing: other rules find what makes no sense.
 */
export function resolveFault(input: z.output<typeof Fault>): Fault {
  const { kind, at } = input;
  const forMs = "for" in input ? (input.for ?? 0) : 0;
  // Each kind resolves its own keys.
  return { kind, atMs: at, forMs, ...kindOf(kind).resolve(input) } as Fault;
}

/** Reason why a treatment cannot have the fault, as the end of the sentence "<kind> ..."; undefined if it can. */
export function obstacleTo(fault: Fault, surroundings: FaultContext): string | undefined {
  return kindOf(fault.kind).obstacle?.(fault, surroundings);
}

export function injectFault(host: FaultHost, fault: Fault): Promise<ActiveFault> {
  return kindOf(fault.kind).inject(host, fault);
}

function affectedPartOf(fault: Fault): AffectedPart {
  const { affectedPart } = kindOf(fault.kind);
  return typeof affectedPart === "function" ? affectedPart(fault) : affectedPart;
}

/** True if two faults cannot be present at the same time. */
export function areExclusive(a: Fault, b: Fault): boolean {
  if (a.kind === b.kind || blocksSession(a, b) || blocksSession(b, a)) return true;
  const [one, other] = [affectedPartOf(a), affectedPartOf(b)];
  if (one === other) return one !== "session";
  return [one, other].every((ground) => ground === "server" || ground === "session");
}

/** True if `taker` holds every connection when `other` wants to open its session. */
function blocksSession(taker: Fault, other: Fault): boolean {
  return (
    kindOf(taker.kind).takesAllConnections === true &&
    affectedPartOf(other) === "session" &&
    taker.atMs <= other.atMs
  );
}

// Jobs, which the seed decides: the audit makes them again.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { batchKeys, idsOf } from "../event-id.js";
import type { Job, Payload } from "./adapters/protocol.js";
import type { JobsSettings } from "./settings.js";

const FILLER = "the quick brown fox jumps over the lazy dog ";

/** Filler with which the JSON of the payload has that many bytes. */
function fillerOf(payload: Omit<Payload, "text">, bytes: number): string {
  const length = Math.max(0, bytes - JSON.stringify({ ...payload, text: "" }).length);
  return FILLER.repeat(Math.ceil(length / FILLER.length)).slice(0, length);
}

/** Batches that are kept: rows of a table come about in the order of their batches. */
const KEPT_BATCHES = 64;

export class JobMaker {
  private readonly kept = new Map<string, Job[]>();

  constructor(
    private readonly settings: Pick<
      JobsSettings,
      "handlerMs" | "failing" | "payloadBytes" | "priorities" | "delayMs" | "enqueue"
    >,
    private readonly seed: number,
  ) {}

  /** The jobs of a batch, which the worker counts from 0. */
  batch(worker: number, batchNumber: number): readonly Job[] {
    const key = `${worker}.${batchNumber}`;
    const known = this.kept.get(key);
    if (known) return known;
    const [oldest] = this.kept.keys();
    if (oldest !== undefined && this.kept.size >= KEPT_BATCHES) this.kept.delete(oldest);
    const made = this.make(worker, batchNumber);
    this.kept.set(key, made);
    return made;
  }

  private make(worker: number, batchNumber: number): Job[] {
    const { handlerMs, failing, payloadBytes, priorities, delayMs, enqueue } = this.settings;
    const prng = new Prng(deriveSeed(this.seed, "jobs", worker, batchNumber));
    const ids = idsOf(batchKeys("uuidv4", enqueue.batch, worker, batchNumber, 0, prng));
    return ids.map((id) => {
      const ms = prng.intBetween(handlerMs.min, handlerMs.max);
      const fails = failing > 0 && prng.float() < failing ? 1 : 0;
      const payload = { id, ms, fails };
      return {
        payload: { ...payload, text: fillerOf(payload, payloadBytes) },
        ...(priorities > 1 && { priority: prng.intBetween(1, priorities) }),
        ...(delayMs > 0 && { delayMs }),
      };
    });
  }
}

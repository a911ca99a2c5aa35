// Draws questions about existing events, which a look-up finds once a second.
import { monotonicMs } from "../../../foundation/clock.js";
import type { Prng } from "../../../foundation/prng.js";
import type { StatementRow } from "../../../database/sql.js";
import type { DocumentGenerator } from "../model/document-generator.js";
import { EVENT_TYPES, type EventDocument } from "../model/event.js";
import { documentsOf } from "../model/ledger.js";
import type { EventSettings, QuestionKind } from "../settings.js";
import { preloadSource } from "../preload.js";
import type { Question, EventOperations } from "../store.js";
import type { UntimedQuery } from "./look-aside.js";
import { microsOf, textIn } from "./read-check.js";

const LOOKUP_INTERVAL_MS = 1_000;
/** Largest number of preloaded events and of newest events that a look-up reads. Large documents lower it. */
const LOOKUP_EVENTS_MAX = 128;
const LOOKUP_BYTES_MAX = 256 * 1024;
/** Milliseconds before an event's creation at which a question by type and time begins. */
const TIME_RANGE_MS = 10_000;

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const EPOCH = "1970-01-01 00:00:00+00";

/** Questions that no event matches, for a worker that knows no event yet. */
const UNMATCHED_QUESTIONS = {
  id: { kind: "id", id: NIL_UUID },
  authority: { kind: "authority", authorityId: NIL_UUID },
  typeTime: { kind: "typeTime", eventType: "", from: new Date(0), to: EPOCH },
  path: { kind: "path", part: { metrics: { circuitIds: [""] } } },
} as const satisfies Partial<Record<QuestionKind, Question>>;

interface KnownEvent {
  readonly json: string;
  readonly eventType: string;
  readonly authorityId: string;
  readonly id?: string;
  /** Creation of the event, in the server's format. */
  readonly createdAt?: string;
}

export interface DrawnQuestion {
  readonly question: Question;
  /** Key of the event from which the question was made; undefined if no look-up has shown the event. */
  readonly id?: string | undefined;
  /** True for a question that no event matches, asked because no event was known. */
  readonly matchesNoEvent: boolean;
}

export interface QuestionDrawerOptions {
  readonly settings: Pick<EventSettings, "preload" | "ids" | "documentBytes" | "documentShape">;
  readonly seed: number;
  readonly prng: Prng;
  readonly queue: Pick<EventOperations, "someLive">;
  readonly lookAside: UntimedQuery;
  readonly nowMs?: () => number;
}

/** Draws the questions of one worker. */
export class QuestionDrawer {
  private readonly preloaded: DocumentGenerator;
  /** Rows of the last successful look-up. */
  private found: readonly StatementRow[] | undefined;
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: QuestionDrawerOptions) {
    const { settings, seed } = options;
    this.preloaded = documentsOf(preloadSource(settings, seed), 0);
  }

  draw(kind: QuestionKind): DrawnQuestion {
    if (kind === "newest" || kind === "byType") return { question: { kind }, matchesNoEvent: false };
    const known = this.pick();
    const question = known && questionOf(kind, known, this.options.prng);
    if (!known || !question) return { question: UNMATCHED_QUESTIONS[kind], matchesNoEvent: true };
    return { question, id: known.id, matchesNoEvent: false };
  }

  /** Reads some events, unless the last look-up is recent. Never rejects. */
  async look(client: number): Promise<void> {
    const { settings, prng, queue, lookAside, nowMs = monotonicMs } = this.options;
    if (nowMs() < this.dueMs) return;
    this.dueMs = nowMs() + LOOKUP_INTERVAL_MS;
    const most = Math.max(
      1,
      Math.min(LOOKUP_EVENTS_MAX, Math.floor(LOOKUP_BYTES_MAX / settings.documentBytes)),
    );
    const authorityIds = Array.from(
      { length: Math.min(most, settings.preload) },
      () => this.drawPreloaded().authorityId,
    );
    const lookup = { authorityIds, eventType: pickOf(EVENT_TYPES, prng), most };
    const found = await lookAside(client, (connection) => queue.someLive(connection, lookup));
    if (found) this.found = found;
  }

  private pick(): KnownEvent | undefined {
    const { settings, prng } = this.options;
    if (this.found) return this.found.length > 0 ? knownEventOf(pickOf(this.found, prng)) : undefined;
    return settings.preload > 0 ? this.drawPreloaded() : undefined;
  }

  private drawPreloaded(): KnownEvent {
    const { settings, prng } = this.options;
    return this.preloaded.at(prng.intBetween(0, settings.preload - 1));
  }
}

function pickOf<T>(items: readonly T[], prng: Prng): T {
  return items[prng.intBetween(0, items.length - 1)] as T;
}

function knownEventOf(row: StatementRow): KnownEvent {
  const [id, createdAt, json] = row as [string, string, string];
  const [eventType, authorityId] = [textIn(row, "eventType"), textIn(row, "authorityId")];
  return { id, createdAt, json, eventType, authorityId };
}

/** Question of that kind about an event; undefined if too little is known of the event. */
function questionOf(
  kind: keyof typeof UNMATCHED_QUESTIONS,
  { id, createdAt, eventType, authorityId, json }: KnownEvent,
  prng: Prng,
): Question | undefined {
  switch (kind) {
    case "id":
      return id === undefined ? undefined : { kind, id };
    case "authority":
      return { kind, authorityId };
    case "typeTime": {
      if (createdAt === undefined) return undefined;
      const from = new Date(microsOf(createdAt) / 1000 - TIME_RANGE_MS);
      return { kind, eventType, from, to: createdAt };
    }
    case "path": {
      const part = partOf(json, prng);
      return part && { kind, part };
    }
  }
}

/** Part of a document with a track section, a circuit or its crew, at its path; undefined if the document has none. */
function partOf(json: string, prng: Prng): object | undefined {
  try {
    const { route, metrics, meta } = JSON.parse(json) as EventDocument;
    if (meta.crewId !== undefined && prng.float() < 1 / 3) return { meta: { crewId: meta.crewId } };
    if (prng.float() < 0.5) return { metrics: { circuitIds: [pickOf(metrics.circuitIds, prng)] } };
    const { trackSections } = pickOf(route.segments, prng);
    return { route: { segments: [{ trackSections: [pickOf(trackSections, prng)] }] } };
  } catch {
    return undefined;
  }
}

// The types of railway events and the schema of their document, which the payload column holds as JSONB or TEXT.
import * as z from "zod";
import { firstOf } from "../../../foundation/text/numbers.js";

export const EVENT_TYPES = [
  "ROUTE_AUTHORIZATION",
  "SIGNAL_CLEAR",
  "SPEED_RESTRICTION",
  "TRACK_OUT_OF_SERVICE",
  "TRAIN_POSITION_UPDATE",
  "SWITCH_POSITION_CHANGE",
  "WORK_ZONE_PROTECTION",
  "CROSSING_FAILURE",
  "POWER_OUTAGE",
  "DISPATCH_NOTE",
] as const;

export const EventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof EventType>;

export const DocumentState = z.enum(["NEW", "QUEUED", "IN_PROGRESS", "APPLIED", "CANCELLED"]);
export type DocumentState = z.infer<typeof DocumentState>;

const Direction = z.enum(["EAST", "WEST", "NORTHBOUND", "EASTBOUND", "SOUTHBOUND", "WESTBOUND"]);

const Segment = z.strictObject({
  id: z.string(),
  direction: Direction,
  trackSections: z.array(z.string()).length(3),
});

const Switch = z.strictObject({ id: z.string(), position: z.enum(["NORMAL", "REVERSE"]) });

/** The document of one event, about 900 bytes as JSON. */
export const EventDocument = z.strictObject({
  eventType: EventType,
  authorityId: z.uuid(),
  deviceKey: z.uuid(),
  state: DocumentState,
  createdAt: z.iso.datetime(),
  route: z.strictObject({
    segments: z.array(Segment).length(3),
    switches: z.array(Switch).length(2),
    attributes: z.strictObject({
      ALLOW_PASS: z.boolean(),
      REQUIRES_ACK: z.boolean(),
      SLOW_ORDER: z.boolean(),
    }),
    signalId: z.string(),
  }),
  metrics: z.strictObject({
    flags: z.strictObject({ onTrack: z.boolean(), fleeted: z.boolean() }),
    circuitIds: z.array(z.string()).length(4),
    confidence: z.number().min(0).max(1),
  }),
  train: z.strictObject({
    trainId: z.string().regex(/^RR-\d{2}-\d{5}-\d{8}$/),
    withinLimits: z.boolean(),
    direction: Direction,
  }),
  meta: z.strictObject({
    userId: z.string(),
    logicalPos: z.int(),
    sourceSystem: z.string(),
    /** Member of the newer schema. Documents that were preloaded before the change lack this member. */
    crewId: z.string().optional(),
    /** Free text that fills a document up to the size that the scenario sets. */
    remarks: z.string().optional(),
  }),
});
export type EventDocument = z.infer<typeof EventDocument>;

const NAMED_PATHS_MAX = 5;

/** Reason why a text is not an event's document, without any value of the text; undefined if it is one. */
export function invalidityOf(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return "no JSON";
  }
  const { error } = EventDocument.safeParse(document);
  if (!error) return undefined;
  const paths = error.issues.map(({ path }) => path.join(".") || "the whole document");
  return `invalid at ${firstOf(paths, NAMED_PATHS_MAX)}`;
}

/** An event that is ready to be inserted: its document as JSON, and the values of its flat columns. */
export interface PreparedEvent {
  readonly id: string;
  readonly payload: string;
  /** Values of the document as a text; left out if the client makes the document. */
  readonly values?: string;
  readonly eventType: EventType;
  readonly authorityId: string;
  readonly trainId: string;
}

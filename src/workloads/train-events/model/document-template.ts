// A document with the offsets of its parts, so that a document costs one copy and a few stores, and no string.
import { Prng } from "../../../foundation/prng.js";
import {
  compactHead,
  CREW_WIDTH,
  FIXED_WIDTHS,
  SOURCE_WIDTHS,
  type BooleanText,
  type FieldWidths,
  type FixedField,
  type FixedValues,
  type ShapeValues,
} from "./document-values.js";
import { EVENT_TYPES, type EventType } from "./event.js";
import type { DocumentShape } from "../settings.js";

const TEMPLATES_PER_TYPE = 6;
/** Seed of the shapes, which are the same in every trial. */
const TEMPLATE_SEED = 0x7261_696c;
const COMPASS_DIRECTIONS = ["NORTHBOUND", "EASTBOUND", "SOUTHBOUND", "WESTBOUND"] as const;
const DIRECTIONS = ["EAST", "WEST"] as const;
const SWITCH_POSITIONS = ["NORMAL", "REVERSE"] as const;
const SOURCE_SYSTEMS = ["CTC-NORTH", "CTC-SOUTH", "PTC-BOS", "DISPATCH-9", "WAYSIDE-4"] as const;
const BOOLEANS: readonly BooleanText[] = ["false", "true"];

export const FOUR_DIGIT_FIELDS = [
  "segment0",
  "section00",
  "section01",
  "section02",
  "segment1",
  "section10",
  "section11",
  "section12",
  "segment2",
  "section20",
  "section21",
  "section22",
  "switch0",
  "switch1",
  "signal",
  "circuit0",
  "circuit1",
  "circuit2",
  "circuit3",
] as readonly FixedField[];
const FOUR_DIGIT_FIELDS_WITH_CREW = [...FOUR_DIGIT_FIELDS, "crew"] as readonly FixedField[];
const LINES = ["line0", "line1", "line2"] as const;

export interface DocumentTemplate {
  readonly shape: ShapeValues;
  /** Event type in bytes. */
  readonly typeBytes: Uint8Array;
  readonly head: Uint8Array;
  /** Offset in bytes of the first occurrence of each value of fixed width. */
  readonly places: Readonly<Record<FixedField, number>>;
  /** Offsets in bytes of the four-digit fields in `FOUR_DIGIT_FIELDS`, and of the crew if the document has one. */
  readonly fourDigitOffsets: Int32Array;
  /** Offsets in bytes of all occurrences of each field in `LINES`. */
  readonly lines: readonly Int32Array[];
  readonly widths: FieldWidths;
  /** Ranges of the numbers at the offsets of `fourDigitOffsets`; undefined if random hexadecimal digits stand there. */
  readonly ranges?: readonly NumberRange[];
}

/** Range of whole numbers of four digits, from `first` to `first + count - 1`. */
export interface NumberRange {
  readonly first: number;
  readonly count: number;
}

/** Ranges of the four-digit fields, for documents with the source's values. */
const SOURCE_NUMBER_RANGES: readonly NumberRange[] = FOUR_DIGIT_FIELDS_WITH_CREW.map((field) => {
  if (field.startsWith("section")) return { first: 2000, count: 200 };
  if (field.startsWith("switch")) return { first: 3000, count: 500 };
  if (field === "crew") return { first: 4000, count: 500 };
  if (field.startsWith("circuit")) return { first: 7000, count: 1000 };
  return field === "signal" ? { first: 9001, count: 1 } : { first: 1000, count: 500 };
});

/** An arbitrary value for each field of fixed width, with the punctuation that real values have. */
function sampleValues(widths: FieldWidths): FixedValues {
  const digits = Object.entries(widths).map(([field, width]) => [field, "1".repeat(width)]);
  return {
    ...(Object.fromEntries(digits) as FixedValues),
    authorityId: "00000000-0000-4000-8000-000000000000",
    deviceKey: "00000000-0000-4000-8000-000000000000",
    createdAt: "2026-01-01T00:00:00.000Z",
    trainId: "RR-00-00000-20260101",
  };
}

function drawSourceShape(eventType: EventType, prng: Prng): ShapeValues {
  const pick = <T>(items: readonly T[]): T => items[prng.intBetween(0, items.length - 1)] as T;
  return {
    eventType,
    direction0: pick(COMPASS_DIRECTIONS),
    direction1: pick(COMPASS_DIRECTIONS),
    direction2: pick(COMPASS_DIRECTIONS),
    position0: pick(SWITCH_POSITIONS),
    position1: pick(SWITCH_POSITIONS),
    allowPass: "true",
    requiresAck: "false",
    slowOrder: "false",
    onTrack: prng.float() < 0.8 ? "true" : "false",
    fleeted: prng.float() < 0.2,
    withinLimits: pick(BOOLEANS),
    trainDirection: pick(COMPASS_DIRECTIONS),
    sourceSystem: "SIMULATOR",
  };
}

function drawShape(eventType: EventType, prng: Prng): ShapeValues {
  const pick = <T>(items: readonly T[]): T => items[prng.intBetween(0, items.length - 1)] as T;
  return {
    eventType,
    direction0: pick(DIRECTIONS),
    direction1: pick(DIRECTIONS),
    direction2: pick(DIRECTIONS),
    position0: pick(SWITCH_POSITIONS),
    position1: pick(SWITCH_POSITIONS),
    allowPass: pick(BOOLEANS),
    requiresAck: pick(BOOLEANS),
    slowOrder: pick(BOOLEANS),
    onTrack: pick(BOOLEANS),
    fleeted: pick([false, true]),
    withinLimits: pick(BOOLEANS),
    trainDirection: pick(DIRECTIONS),
    sourceSystem: pick(SOURCE_SYSTEMS),
  };
}

/** Character that stands for a field while its offsets are searched. No document contains it. */
function markOf(number: number): string {
  return String.fromCharCode(0xe000 + number);
}

function markOffsetsIn(text: string, mark: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}

function templateOf(shape: ShapeValues, hasCrew: boolean, ranges?: readonly NumberRange[]): DocumentTemplate {
  const crewWidth = hasCrew ? CREW_WIDTH : FIXED_WIDTHS.crew;
  const widths: FieldWidths = { ...(ranges ? SOURCE_WIDTHS : FIXED_WIDTHS), crew: crewWidth };
  const fourDigitFields = hasCrew ? FOUR_DIGIT_FIELDS_WITH_CREW : FOUR_DIGIT_FIELDS;
  const fields = Object.keys(widths) as FixedField[];
  const marks = Object.fromEntries(
    fields.map((field, number) => [field, markOf(number).repeat(widths[field])]),
  ) as unknown as FixedValues;
  const marked = compactHead({ ...shape, ...marks, state: "NEW" });
  const places = Object.fromEntries(fields.map((field) => [field, marked.indexOf(marks[field])]));
  return {
    shape,
    typeBytes: Buffer.from(shape.eventType, "latin1"),
    head: Buffer.from(compactHead({ ...shape, ...sampleValues(widths), state: "NEW" }), "latin1"),
    places: places as Record<FixedField, number>,
    fourDigitOffsets: Int32Array.from(fourDigitFields, (field) => places[field] as number),
    lines: LINES.map((field) => Int32Array.from(markOffsetsIn(marked, marks[field]))),
    widths,
    ...(ranges && { ranges: ranges.slice(0, fourDigitFields.length) }),
  };
}

function drawTemplates(
  draw: typeof drawShape,
  hasCrew: boolean,
  ranges?: readonly NumberRange[],
): DocumentTemplate[] {
  const prng = new Prng(TEMPLATE_SEED);
  return EVENT_TYPES.flatMap((type) =>
    Array.from({ length: TEMPLATES_PER_TYPE }, () => templateOf(draw(type, prng), hasCrew, ranges)),
  );
}

const drawnTemplates = new Map<string, readonly DocumentTemplate[]>();

/** All templates of a shape, drawn on first use: the same number for each event type. */
export function templatesOf(shape: DocumentShape, hasCrew: boolean): readonly DocumentTemplate[] {
  const key = `${shape} ${hasCrew}`;
  const templates =
    drawnTemplates.get(key) ??
    (shape === "source"
      ? drawTemplates(drawSourceShape, hasCrew, SOURCE_NUMBER_RANGES)
      : drawTemplates(drawShape, hasCrew));
  drawnTemplates.set(key, templates);
  return templates;
}

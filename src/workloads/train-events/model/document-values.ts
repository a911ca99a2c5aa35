// The values of one document and its two texts, the program's and PostgreSQL's. No value needs an escape.
import type { DocumentState, EventType } from "./event.js";

export type BooleanText = "false" | "true";

/**
 * Numbers of characters of values whose width is always the same. A digit in a name counts the route's segments, switches
 * or circuits from 0; the second digit of a section counts the sections of its segment.
 */
export const FIXED_WIDTHS = {
  authorityId: 36,
  deviceKey: 36,
  createdAt: 24,
  trainId: 20,
  line0: 2,
  segment0: 4,
  section00: 4,
  section01: 4,
  section02: 4,
  line1: 2,
  segment1: 4,
  section10: 4,
  section11: 4,
  section12: 4,
  line2: 2,
  segment2: 4,
  section20: 4,
  section21: 4,
  section22: 4,
  switch0: 4,
  switch1: 4,
  signal: 4,
  circuit0: 4,
  circuit1: 4,
  circuit2: 4,
  circuit3: 4,
  /** Digits after "0."; the last is not 0, so that no writer of numbers shortens them. */
  confidence: 3,
  user: 5,
  logicalPos: 7,
  /** Digits of `meta.crewId`, which only documents of the newer schema have. */
  crew: 0,
} as const;
export type FixedField = keyof typeof FIXED_WIDTHS;
export type FieldWidths = Readonly<Record<FixedField, number>>;
/** Widths in documents with the source's values: the source's database prints a double with 17 digits. */
export const SOURCE_WIDTHS: FieldWidths = { ...FIXED_WIDTHS, confidence: 17 };
export const CREW_WIDTH = 4;
export type FixedValues = Readonly<Record<FixedField, string>>;

/** Values whose width varies. They determine the offsets of all other values. */
export interface ShapeValues {
  readonly eventType: EventType;
  readonly direction0: string;
  readonly direction1: string;
  readonly direction2: string;
  readonly position0: string;
  readonly position1: string;
  readonly allowPass: BooleanText;
  readonly requiresAck: BooleanText;
  readonly slowOrder: BooleanText;
  readonly onTrack: BooleanText;
  readonly fleeted: boolean;
  readonly withinLimits: BooleanText;
  readonly trainDirection: string;
  readonly sourceSystem: string;
}

export interface DocumentValues extends Omit<ShapeValues, "fleeted">, FixedValues {
  state: DocumentState;
  fleeted: boolean;
  /** Undefined if the document without remarks has the requested length already. */
  readonly remarks: string | undefined;
}

/**
 * Reads the values of a compact document; `places` has the offsets of values with the widths `w`. The fields are spelled out
 * because an audit does this for every event, and a loop over names would double the audit's cost.
 */
export function valuesIn(
  text: string,
  places: Readonly<Record<FixedField, number>>,
  w: FieldWidths,
  shape: ShapeValues,
  remarks: string | undefined,
): DocumentValues {
  const at = (place: number, width: number): string => text.slice(place, place + width);
  return {
    eventType: shape.eventType,
    direction0: shape.direction0,
    direction1: shape.direction1,
    direction2: shape.direction2,
    position0: shape.position0,
    position1: shape.position1,
    allowPass: shape.allowPass,
    requiresAck: shape.requiresAck,
    slowOrder: shape.slowOrder,
    onTrack: shape.onTrack,
    fleeted: shape.fleeted,
    withinLimits: shape.withinLimits,
    trainDirection: shape.trainDirection,
    sourceSystem: shape.sourceSystem,
    authorityId: at(places.authorityId, w.authorityId),
    deviceKey: at(places.deviceKey, w.deviceKey),
    createdAt: at(places.createdAt, w.createdAt),
    trainId: at(places.trainId, w.trainId),
    line0: at(places.line0, w.line0),
    segment0: at(places.segment0, w.segment0),
    section00: at(places.section00, w.section00),
    section01: at(places.section01, w.section01),
    section02: at(places.section02, w.section02),
    line1: at(places.line1, w.line1),
    segment1: at(places.segment1, w.segment1),
    section10: at(places.section10, w.section10),
    section11: at(places.section11, w.section11),
    section12: at(places.section12, w.section12),
    line2: at(places.line2, w.line2),
    segment2: at(places.segment2, w.segment2),
    section20: at(places.section20, w.section20),
    section21: at(places.section21, w.section21),
    section22: at(places.section22, w.section22),
    switch0: at(places.switch0, w.switch0),
    switch1: at(places.switch1, w.switch1),
    signal: at(places.signal, w.signal),
    circuit0: at(places.circuit0, w.circuit0),
    circuit1: at(places.circuit1, w.circuit1),
    circuit2: at(places.circuit2, w.circuit2),
    circuit3: at(places.circuit3, w.circuit3),
    confidence: at(places.confidence, w.confidence),
    user: at(places.user, w.user),
    logicalPos: at(places.logicalPos, w.logicalPos),
    crew: at(places.crew, w.crew),
    state: "NEW",
    remarks,
  };
}

/** Compact text of a document up to its remarks, which are the last member of its last member `meta`. */
export function compactHead(v: Omit<DocumentValues, "remarks">): string {
  const crewEntry = v.crew === "" ? "" : `,"crewId":"C-${v.crew}"`;
  const segments = [
    `{"id":"S${v.line0}-${v.segment0}","direction":"${v.direction0}","trackSections":["${v.line0}-${v.section00}","${v.line0}-${v.section01}","${v.line0}-${v.section02}"]}`,
    `{"id":"S${v.line1}-${v.segment1}","direction":"${v.direction1}","trackSections":["${v.line1}-${v.section10}","${v.line1}-${v.section11}","${v.line1}-${v.section12}"]}`,
    `{"id":"S${v.line2}-${v.segment2}","direction":"${v.direction2}","trackSections":["${v.line2}-${v.section20}","${v.line2}-${v.section21}","${v.line2}-${v.section22}"]}`,
  ].join(",");
  return `{"eventType":"${v.eventType}","authorityId":"${v.authorityId}","deviceKey":"${v.deviceKey}","state":"${v.state}","createdAt":"${v.createdAt}","route":{"segments":[${segments}],"switches":[{"id":"SW-${v.switch0}","position":"${v.position0}"},{"id":"SW-${v.switch1}","position":"${v.position1}"}],"attributes":{"ALLOW_PASS":${v.allowPass},"REQUIRES_ACK":${v.requiresAck},"SLOW_ORDER":${v.slowOrder}},"signalId":"SIG-${v.signal}"},"metrics":{"flags":{"onTrack":${v.onTrack},"fleeted":${v.fleeted}},"circuitIds":["TC-${v.circuit0}","TC-${v.circuit1}","TC-${v.circuit2}","TC-${v.circuit3}"],"confidence":0.${v.confidence}},"train":{"trainId":"${v.trainId}","withinLimits":${v.withinLimits},"direction":"${v.trainDirection}"},"meta":{"userId":"u-${v.user}","logicalPos":${v.logicalPos},"sourceSystem":"${v.sourceSystem}"${crewEntry}`;
}

/** Text before remarks, and the ends of a document with and without remarks. */
export const REMARKS_OPEN = ',"remarks":"';
export const REMARKS_CLOSE = '"}}';
export const NO_REMARKS_CLOSE = "}}";

export function compactText(v: DocumentValues): string {
  const end = v.remarks === undefined ? NO_REMARKS_CLOSE : `${REMARKS_OPEN}${v.remarks}${REMARKS_CLOSE}`;
  return `${compactHead(v)}${end}`;
}

/** The document as PostgreSQL prints it from a JSONB column. */
export function jsonbText(v: DocumentValues): string {
  const crewEntry = v.crew === "" ? "" : `"crewId": "C-${v.crew}", `;
  const remarksEntry = v.remarks === undefined ? "" : `"remarks": "${v.remarks}", `;
  return `{"meta": {${crewEntry}"userId": "u-${v.user}", ${remarksEntry}"logicalPos": ${v.logicalPos}, "sourceSystem": "${v.sourceSystem}"}, "route": {"segments": [{"id": "S${v.line0}-${v.segment0}", "direction": "${v.direction0}", "trackSections": ["${v.line0}-${v.section00}", "${v.line0}-${v.section01}", "${v.line0}-${v.section02}"]}, {"id": "S${v.line1}-${v.segment1}", "direction": "${v.direction1}", "trackSections": ["${v.line1}-${v.section10}", "${v.line1}-${v.section11}", "${v.line1}-${v.section12}"]}, {"id": "S${v.line2}-${v.segment2}", "direction": "${v.direction2}", "trackSections": ["${v.line2}-${v.section20}", "${v.line2}-${v.section21}", "${v.line2}-${v.section22}"]}], "signalId": "SIG-${v.signal}", "switches": [{"id": "SW-${v.switch0}", "position": "${v.position0}"}, {"id": "SW-${v.switch1}", "position": "${v.position1}"}], "attributes": {"ALLOW_PASS": ${v.allowPass}, "SLOW_ORDER": ${v.slowOrder}, "REQUIRES_ACK": ${v.requiresAck}}}, "state": "${v.state}", "train": {"trainId": "${v.trainId}", "direction": "${v.trainDirection}", "withinLimits": ${v.withinLimits}}, "metrics": {"flags": {"fleeted": ${v.fleeted}, "onTrack": ${v.onTrack}}, "circuitIds": ["TC-${v.circuit0}", "TC-${v.circuit1}", "TC-${v.circuit2}", "TC-${v.circuit3}"], "confidence": 0.${v.confidence}}, "createdAt": "${v.createdAt}", "deviceKey": "${v.deviceKey}", "eventType": "${v.eventType}", "authorityId": "${v.authorityId}"}`;
}

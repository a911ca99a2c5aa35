// The values that were drawn for one document, and its two texts: as the program sends it, compact and in the order of its
// schema, and as PostgreSQL writes it back from a JSONB column, keys by length and then by their characters, a space after
// each colon and comma. Both are written straight from the values, because an audit does it a million times and reading
// and walking an object for each would take it most of its time. No value needs an escape.
import type { DocumentState, EventType } from "./event.js";

export type BooleanText = "false" | "true";

export interface SegmentValues {
  readonly line: string;
  readonly id: string;
  readonly direction: string;
  readonly section0: string;
  readonly section1: string;
  readonly section2: string;
}

export interface DocumentValues {
  readonly eventType: EventType;
  readonly authorityId: string;
  readonly deviceKey: string;
  state: DocumentState;
  readonly createdAt: string;
  readonly segment0: SegmentValues;
  readonly segment1: SegmentValues;
  readonly segment2: SegmentValues;
  readonly switch0: string;
  readonly position0: string;
  readonly switch1: string;
  readonly position1: string;
  readonly allowPass: BooleanText;
  readonly requiresAck: BooleanText;
  readonly slowOrder: BooleanText;
  readonly signal: string;
  readonly onTrack: BooleanText;
  fleeted: boolean;
  readonly circuit0: string;
  readonly circuit1: string;
  readonly circuit2: string;
  readonly circuit3: string;
  /** As a number, so that its text has no trailing zero: then reading and writing the document leaves it as it is. */
  readonly confidence: number;
  readonly trainId: string;
  readonly withinLimits: BooleanText;
  readonly trainDirection: string;
  readonly user: number;
  readonly logicalPos: number;
  readonly sourceSystem: string;
  /** Undefined where the fields alone are as long as was asked. */
  remarks: string | undefined;
}

function compactSegment(s: SegmentValues): string {
  return `{"id":"S${s.line}-${s.id}","direction":"${s.direction}","trackSections":["${s.line}-${s.section0}","${s.line}-${s.section1}","${s.line}-${s.section2}"]}`;
}

function jsonbSegment(s: SegmentValues): string {
  return `{"id": "S${s.line}-${s.id}", "direction": "${s.direction}", "trackSections": ["${s.line}-${s.section0}", "${s.line}-${s.section1}", "${s.line}-${s.section2}"]}`;
}

/** The compact text up to where the remarks stand, the last member of `meta`, which is the last of the document. */
export function compactHead(v: DocumentValues): string {
  return `{"eventType":"${v.eventType}","authorityId":"${v.authorityId}","deviceKey":"${v.deviceKey}","state":"${v.state}","createdAt":"${v.createdAt}","route":{"segments":[${compactSegment(v.segment0)},${compactSegment(v.segment1)},${compactSegment(v.segment2)}],"switches":[{"id":"SW-${v.switch0}","position":"${v.position0}"},{"id":"SW-${v.switch1}","position":"${v.position1}"}],"attributes":{"ALLOW_PASS":${v.allowPass},"REQUIRES_ACK":${v.requiresAck},"SLOW_ORDER":${v.slowOrder}},"signalId":"SIG-${v.signal}"},"metrics":{"flags":{"onTrack":${v.onTrack},"fleeted":${v.fleeted}},"circuitIds":["TC-${v.circuit0}","TC-${v.circuit1}","TC-${v.circuit2}","TC-${v.circuit3}"],"confidence":${v.confidence}},"train":{"trainId":"${v.trainId}","withinLimits":${v.withinLimits},"direction":"${v.trainDirection}"},"meta":{"userId":"u-${v.user}","logicalPos":${v.logicalPos},"sourceSystem":"${v.sourceSystem}"`;
}

/** The rest. */
export function compactTail(remarks: string | undefined): string {
  return remarks === undefined ? "}}" : `,"remarks":"${remarks}"}}`;
}

export function jsonbText(v: DocumentValues): string {
  const noted = v.remarks === undefined ? "" : `"remarks": "${v.remarks}", `;
  return `{"meta": {"userId": "u-${v.user}", ${noted}"logicalPos": ${v.logicalPos}, "sourceSystem": "${v.sourceSystem}"}, "route": {"segments": [${jsonbSegment(v.segment0)}, ${jsonbSegment(v.segment1)}, ${jsonbSegment(v.segment2)}], "signalId": "SIG-${v.signal}", "switches": [{"id": "SW-${v.switch0}", "position": "${v.position0}"}, {"id": "SW-${v.switch1}", "position": "${v.position1}"}], "attributes": {"ALLOW_PASS": ${v.allowPass}, "SLOW_ORDER": ${v.slowOrder}, "REQUIRES_ACK": ${v.requiresAck}}}, "state": "${v.state}", "train": {"trainId": "${v.trainId}", "direction": "${v.trainDirection}", "withinLimits": ${v.withinLimits}}, "metrics": {"flags": {"fleeted": ${v.fleeted}, "onTrack": ${v.onTrack}}, "circuitIds": ["TC-${v.circuit0}", "TC-${v.circuit1}", "TC-${v.circuit2}", "TC-${v.circuit3}"], "confidence": ${v.confidence}}, "createdAt": "${v.createdAt}", "deviceKey": "${v.deviceKey}", "eventType": "${v.eventType}", "authorityId": "${v.authorityId}"}`;
}

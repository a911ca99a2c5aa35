// The values of a document that the database makes.
import type { DocumentValues } from "./document-values.js";

/** Separator between two values. No value contains this character. */
export const VALUE_SEPARATOR = "|";

export type SentField = keyof DocumentValues;

/** Fields in the order in which their values are sent. */
export const SENT_FIELDS = [
  ...["eventType", "authorityId", "deviceKey", "state", "createdAt", "signal", "allowPass", "requiresAck"],
  ...["slowOrder", "onTrack", "fleeted", "confidence", "trainId", "withinLimits", "trainDirection", "user"],
  ...["logicalPos", "sourceSystem", "crew", "remarks", "switch0", "position0", "switch1", "position1"],
  ...["circuit0", "circuit1", "circuit2", "circuit3"],
  ...["line0", "segment0", "direction0", "section00", "section01", "section02"],
  ...["line1", "segment1", "direction1", "section10", "section11", "section12"],
  ...["line2", "segment2", "direction2", "section20", "section21", "section22"],
] as const satisfies readonly SentField[];

/** The values of a document as the text that the database reads. */
export function valuesText(values: DocumentValues): string {
  return SENT_FIELDS.map((field) => values[field] ?? "").join(VALUE_SEPARATOR);
}

// SQL with which the database makes a document from a text of values that the program sends instead of the document.
import { SENT_FIELDS, VALUE_SEPARATOR, type SentField } from "../model/sent-values.js";
import { PAYLOAD_TRAITS, type Payload } from "../settings.js";

/** SQL of the array of values in a text. */
export const valuesArraySql = (text: string): string => `string_to_array(${text}, '${VALUE_SEPARATOR}')`;

const value = (field: SentField): string => `v[${SENT_FIELDS.indexOf(field) + 1}]`;
const prefixed = (prefix: string, field: SentField): string => `'${prefix}' || ${value(field)}`;
/** The value, or null for a member that the document lacks. */
const optional = (field: SentField): string => `nullif(${value(field)}, '')`;
const flag = (field: SentField): string => `${value(field)}::boolean`;

function objectSql(members: Readonly<Record<string, string>>, separator = ", "): string {
  const pairs = Object.entries(members).map(([name, sql]) => `'${name}', ${sql}`);
  return `jsonb_build_object(${pairs.join(separator)})`;
}

const listSql = (items: readonly string[]): string => `jsonb_build_array(${items.join(", ")})`;

function segmentSql(segment: 0 | 1 | 2): string {
  const line = value(`line${segment}`);
  const sections = ([0, 1, 2] as const).map(
    (section) => `${line} || '-' || ${value(`section${segment}${section}`)}`,
  );
  return objectSql({
    id: `'S' || ${line} || '-' || ${value(`segment${segment}`)}`,
    direction: value(`direction${segment}`),
    trackSections: listSql(sections),
  });
}

/** SQL that makes a document of the payload's type from `v`, the array of its values. */
export function documentSql(payload: Payload): string {
  const switchSql = (number: 0 | 1): string =>
    objectSql({ id: prefixed("SW-", `switch${number}`), position: value(`position${number}`) });
  const members = {
    eventType: value("eventType"),
    authorityId: value("authorityId"),
    deviceKey: value("deviceKey"),
    state: value("state"),
    createdAt: value("createdAt"),
    route: objectSql({
      segments: listSql(([0, 1, 2] as const).map(segmentSql)),
      switches: listSql(([0, 1] as const).map(switchSql)),
      attributes: objectSql({
        ALLOW_PASS: flag("allowPass"),
        REQUIRES_ACK: flag("requiresAck"),
        SLOW_ORDER: flag("slowOrder"),
      }),
      signalId: prefixed("SIG-", "signal"),
    }),
    metrics: objectSql({
      flags: objectSql({ onTrack: flag("onTrack"), fleeted: flag("fleeted") }),
      circuitIds: listSql(
        (["circuit0", "circuit1", "circuit2", "circuit3"] as const).map((field) => prefixed("TC-", field)),
      ),
      confidence: `(${prefixed("0.", "confidence")})::numeric`,
    }),
    train: objectSql({
      trainId: value("trainId"),
      withinLimits: flag("withinLimits"),
      direction: value("trainDirection"),
    }),
    meta: objectSql({
      userId: prefixed("u-", "user"),
      logicalPos: `${value("logicalPos")}::integer`,
      sourceSystem: value("sourceSystem"),
      crewId: `'C-' || ${optional("crew")}`,
      remarks: optional("remarks"),
    }),
  };
  const cast = PAYLOAD_TRAITS[payload].columnType === "text" ? "::text" : "";
  return `jsonb_strip_nulls(${objectSql(members, ",\n  ")})${cast}`;
}

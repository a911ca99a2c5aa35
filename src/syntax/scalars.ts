// Scalars that YAML has no type for. Bare numbers are refused if a unit is missing; only 0 needs none.
import * as z from "zod";
import {
  formatDuration,
  formatSize,
  parseDurationMs,
  parseRatePerSecond,
  parseSizeBytes,
} from "../foundation/units.js";

const DURATION_PATTERN = "^(0|(\\d+(\\.\\d+)?(us|ms|s|m|h))+)$";
/** Pattern of a duration with a digit that is not 0. */
const POSITIVE_DURATION_PATTERN = "^(?=.*[1-9])(\\d+(\\.\\d+)?(us|ms|s|m|h))+$";
const SECOND_MS = 1_000;
const SIZE_PATTERN = "^\\d+(\\.\\d+)?\\s*(B|kB|KB|MB|GB|TB)$";
const UNIT_WORDS: Readonly<Record<string, string>> = {
  us: "us",
  microseconds: "us",
  ms: "ms",
  msec: "ms",
  millis: "ms",
  milliseconds: "ms",
  s: "s",
  sec: "s",
  secs: "s",
  second: "s",
  seconds: "s",
  m: "m",
  min: "m",
  mins: "m",
  minute: "m",
  minutes: "m",
  h: "h",
  hour: "h",
  hours: "h",
};

export type Parsed<T> = { readonly value: T } | { readonly message: string };

/** A zod type from a parser and the JSON Schema of the parser's input. */
export function custom<T>(schema: z.core.GlobalMeta, parse: (input: unknown) => Parsed<T>) {
  return z
    .unknown()
    .transform((input, context): T => {
      const parsed = parse(input);
      if ("value" in parsed) return parsed.value;
      context.issues.push({ code: "custom", message: parsed.message, input });
      return z.NEVER;
    })
    .meta(schema);
}

/** Suggested text of a bare number with its likely units: the two most usual ones with which it is within the bounds. */
function likelyUnitsHint(number: string, minMs: number, maxMs: number): string {
  const [ms, s] = [Number(number), Number(number) * SECOND_MS];
  const isWithin = (one: number): boolean => one >= minMs && one <= maxMs;
  const suggestedTexts = [...(isWithin(ms) ? [`${number}ms`] : []), ...(isWithin(s) ? [`${number}s`] : [])];
  return suggestedTexts.length === 0 ? "" : `; did you mean ${suggestedTexts.join(" or ")}?`;
}

function durationHint(input: string, minMs: number, maxMs: number): string {
  if (input.startsWith("-")) return "a duration cannot be negative";
  if (/^\d+(\.\d+)?$/.test(input)) return `a duration needs a unit${likelyUnitsHint(input, minMs, maxMs)}`;
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(input);
  const unit = UNIT_WORDS[match?.[2]?.toLowerCase() ?? ""];
  const guessHint = unit ? `; did you mean ${match?.[1] ?? ""}${unit}?` : "";
  return `expected a duration, such as 250ms, 30s, 5m or 1h30m${guessHint}`;
}

function parseDuration(input: unknown, minMs: number, maxMs: number): Parsed<number> {
  const text = typeof input === "number" ? String(input) : input;
  const ms = typeof text === "string" ? parseDurationMs(text) : undefined;
  if (ms === undefined)
    return { message: durationHint(typeof text === "string" ? text.trim() : "", minMs, maxMs) };
  if (ms < minMs) return { message: `must be at least ${formatDuration(minMs)}` };
  if (ms > maxMs) return { message: `must be at most ${formatDuration(maxMs)}` };
  return { value: ms };
}

const POSITIVE_DURATION_JSON_SCHEMA = [{ type: "string", pattern: POSITIVE_DURATION_PATTERN }] as const;
const DURATION_JSON_SCHEMA = [
  { type: "string", pattern: DURATION_PATTERN },
  { type: "number", const: 0 },
] as const;

export const HOUR_MS = 3_600_000;

function durationTitle(minMs: number, maxMs: number): string {
  return `duration, ${minMs === 0 ? "0" : formatDuration(minMs)} to ${formatDuration(maxMs)}`;
}

/** Schema of a duration, stored as milliseconds. Its title states the bounds, which a pattern cannot. */
export function duration(description: string, minMs = 0, maxMs = 24 * HOUR_MS) {
  const anyOf = minMs > 0 ? POSITIVE_DURATION_JSON_SCHEMA : DURATION_JSON_SCHEMA;
  const schema = { title: durationTitle(minMs, maxMs), description, anyOf };
  return custom(schema, (input) => parseDuration(input, minMs, maxMs));
}

/** Schemas of the two ways to write a range of durations. */
export const DURATION_RANGE_SCHEMAS = [
  duration("Always this long."),
  z.strictObject({ min: duration("Shortest."), max: duration("Longest.") }),
] as const;

/** Both ends of a range, whether written as one number or as two ends. */
export function rangeOf<Ends extends object>(range: number | Ends): Ends | { min: number; max: number } {
  return typeof range === "number" ? { min: range, max: range } : range;
}

/** Schema of a command: a list of words, or a text that a shell runs; see `wordsOfCommand`. */
export function commandWords(description: string) {
  return z
    .union([z.string().regex(/\S/, "expected a command"), z.array(z.string()).min(1)])
    .meta({ description });
}

/** Schema of one duration, or of `{ min, max }` for a uniform choice each time, both ends included. */
export function durationRange(description: string) {
  return z.union(DURATION_RANGE_SCHEMAS).transform(rangeOf).meta({ description });
}

/** Schema of the most milliseconds that a drain may take: `true` (`trueMs`), `false` (no drain) or a duration. */
export function drainBound(description: string, trueMs: number) {
  const title = `true, false or ${durationTitle(0, 24 * HOUR_MS)}`;
  const schema = { title, description, anyOf: [{ type: "boolean" }, ...DURATION_JSON_SCHEMA] };
  return custom(schema, (input): Parsed<number> => {
    if (typeof input === "boolean") return { value: input ? trueMs : 0 };
    const parsed = parseDuration(input, 0, 24 * HOUR_MS);
    return "value" in parsed ? parsed : { message: `${parsed.message} (or true, or false)` };
  });
}

/** Schema of a sampling interval in milliseconds: `off` (0) or a duration of at least a second. */
export function samplingInterval(description: string) {
  const title = `off or ${durationTitle(SECOND_MS, HOUR_MS)}`;
  const schema = {
    title,
    description,
    anyOf: [{ const: "off" }, { const: false }, ...POSITIVE_DURATION_JSON_SCHEMA],
  };
  return custom(schema, (input): Parsed<number> => {
    if (input === "off" || input === false) return { value: 0 };
    const parsed = parseDuration(input, SECOND_MS, HOUR_MS);
    return "value" in parsed ? parsed : { message: `${parsed.message} (or off)` };
  });
}

/** A rate: a number per time unit of the load or, if it was written with a unit, per second. */
export type Rate = number | { readonly perSecond: number };

/** Schema of a rate: a number, or a number with its unit such as `50/s`. */
export function rate(description: string, least: number, most: number) {
  const anyOf = [
    { type: "number", minimum: least, maximum: most },
    { type: "string", pattern: "^\\d+(\\.\\d+)?\\s*/\\s*(s|min|m|h)$" },
  ] as const;
  const title = `number, ${least} to ${most}, or a rate such as 50/s or 3000/min`;
  return custom({ title, description, anyOf: [...anyOf] }, (input): Parsed<Rate> => {
    const perSecond = typeof input === "string" ? parseRatePerSecond(input) : undefined;
    const value = typeof input === "number" ? input : perSecond;
    if (value === undefined) return { message: rateHint(input) };
    if (!(value >= least)) return { message: `must be at least ${least}` };
    if (!(value <= most)) return { message: `must be at most ${most}` };
    return { value: perSecond === undefined ? value : { perSecond } };
  });
}

function rateHint(input: unknown): string {
  const match = /^(\d+(?:\.\d+)?)\s*(?:\/|per)?\s*([a-z]+)$/i.exec(String(input).trim());
  const unit = UNIT_WORDS[match?.[2]?.toLowerCase() ?? ""] ?? "";
  const guessHint = ["s", "m", "h"].includes(unit) ? `; did you mean ${match?.[1] ?? ""}/${unit}?` : "";
  return `expected a rate: a number of arrivals per timeUnit, or a rate such as 50/s or 3000/min${guessHint}`;
}

/** Schema of a size, stored as bytes. */
export function size(description: string, minBytes: number, maxBytes: number) {
  const title = `size, ${formatSize(minBytes)} to ${formatSize(maxBytes)}`;
  return custom({ title, description, type: "string", pattern: SIZE_PATTERN }, (input): Parsed<number> => {
    const bytes = typeof input === "string" ? parseSizeBytes(input) : undefined;
    if (typeof input === "number" || (typeof input === "string" && /^\d+$/.test(input)))
      return { message: `a size needs a unit; did you mean ${input}B?` };
    if (bytes === undefined) return { message: "expected a size, such as 900B, 4kB or 1MB" };
    if (bytes < minBytes) return { message: `must be at least ${formatSize(minBytes)}` };
    if (bytes > maxBytes) return { message: `must be at most ${formatSize(maxBytes)}` };
    return { value: bytes };
  });
}

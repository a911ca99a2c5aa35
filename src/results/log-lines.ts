// Lines of a trial's log. An unknown kind is reported, never skipped; fields of a later version are ignored.
import * as z from "zod";
import { messageOf } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import { issueWords } from "../syntax/issue-words.js";
import { OperationName } from "./comparison-schema.js";
import { count, SummaryFacts, TransactionFacts, FailureFacts, ms, PartsMs } from "../clients/facts.js";

/** Fields of every line. `operation` is `*` if a line concerns all operations. */
const common = {
  level: z.string(),
  time: z.iso.datetime(),
  trial: z.int().min(1),
  treatment: z.string(),
  actor: z.string().regex(/^[a-z]+$/),
  worker: count,
};

/** Fields of lines that only workers write. */
const workerFields = common;
const operation = OperationName;
const StartLine = z.object({
  ...common,
  event: z.literal("start"),
  index: count.optional(),
  clients: count.optional(),
  operations: z.array(OperationName).optional(),
  connectSeconds: z
    .number()
    .min(0)
    .optional()
    .describe("Time in which a worker opened the connections that it keeps"),
});
const PhaseLine = z.object({
  ...common,
  event: z.literal("phase"),
  phase: z.string(),
  windowStartsAt: z.iso.datetime().optional(),
});
const StepLine = z.object({
  ...common,
  event: z.literal("step"),
  phase: z.string(),
  step: z.string(),
  seconds: z.number().min(0),
});
const SummaryLine = z.object({
  ...workerFields,
  event: z.literal("summary"),
  ...SummaryFacts.shape,
  operation,
});
const OutsideLine = z.object({
  ...workerFields,
  event: z.literal("summary"),
  outside: z.literal(true),
  phase: z.string(),
  transactions: count,
  failures: count,
  retries: count,
  suppressedLines: count.optional(),
});
const RetryLine = z.object({
  ...workerFields,
  event: z.literal("retry"),
  ...TransactionFacts.shape,
  operation,
  ...FailureFacts.shape,
  backoffMs: ms,
});
const FailureLine = z.object({
  ...workerFields,
  event: z.literal("failure"),
  ...TransactionFacts.shape,
  operation,
  ...FailureFacts.shape,
});
const SlowLine = z.object({
  ...workerFields,
  event: z.literal("slow"),
  ...TransactionFacts.shape,
  operation,
  events: count,
  responseMs: ms.optional(),
  parts: PartsMs.optional(),
});
const AuditLine = z.object({ ...common, event: z.literal("audit"), verdict: z.enum(["ok", "violated"]) });
const FaultLine = z.object({
  ...common,
  event: z.literal("fault"),
  kind: z.string(),
  atSeconds: z.number().min(0),
  forSeconds: z.number().min(0),
  second: z.number().min(0).describe("Of the window, with a fraction"),
  words: z.string(),
});
const WaitingLine = z.object({
  ...common,
  event: z.literal("waiting"),
  seconds: z.number().min(0).describe("Since the last transactions were to be the last"),
  words: z.string(),
});
const StopLine = z.object({
  ...common,
  event: z.literal("stop"),
  status: z.string().optional(),
  reason: z.string().optional(),
  windowSeconds: z.number().min(0).optional(),
});

const LINE_SCHEMAS = {
  start: StartLine,
  phase: PhaseLine,
  step: StepLine,
  summary: SummaryLine,
  retry: RetryLine,
  failure: FailureLine,
  slow: SlowLine,
  fault: FaultLine,
  waiting: WaitingLine,
  audit: AuditLine,
  stop: StopLine,
};

export type LogLine = z.infer<(typeof LINE_SCHEMAS)[keyof typeof LINE_SCHEMAS] | typeof OutsideLine>;
export type SummaryLine = z.infer<typeof SummaryLine>;
export type OutsideLine = z.infer<typeof OutsideLine>;
export type DetailLine = z.infer<typeof RetryLine> | z.infer<typeof FailureLine>;
export type SlowLine = z.infer<typeof SlowLine>;

/**
 * Problems of a line: `broken` is no JSON, `truncated` is no JSON at the very end of a file, `foreign` is another program's
 * JSON, `malformed` has a wrong field.
 */
export const LINE_PROBLEMS = ["broken", "truncated", "foreign", "malformed"] as const;
export type LineProblem = (typeof LINE_PROBLEMS)[number];

export type ParsedLine =
  | { readonly line: LogLine }
  | { readonly problem: LineProblem; readonly reason: string };

export function parseLogLine(text: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: "broken", reason: `it is not JSON: ${elidedText(messageOf(error), 200)}` };
  }
  const event = fieldOf(value, "event");
  if (typeof event !== "string" || !Object.hasOwn(LINE_SCHEMAS, event))
    return { problem: "foreign", reason: "it is no line of a train-sim log" };
  const isOutsideWindow = event === "summary" && fieldOf(value, "outside") === true;
  const schema = isOutsideWindow ? OutsideLine : LINE_SCHEMAS[event as keyof typeof LINE_SCHEMAS];
  const parsed = schema.safeParse(value);
  if (parsed.success) return { line: parsed.data };
  const firstIssue = parsed.error.issues[0];
  return {
    problem: "malformed",
    reason: firstIssue ? `${event}, ${issueWords(firstIssue)}` : event,
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

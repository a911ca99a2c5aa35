// Statements that leave something in their session, where the next client of a pooler finds it.
import { hasPooler, type PoolSettings } from "../../pools/registry.js";
import type { Objection } from "../workload.js";
import { placeText, type Program, type SqlText } from "./program.js";
import { sqlStepsOf } from "./statements.js";

interface SessionFeature {
  readonly pattern: RegExp;
  readonly effect: string;
  readonly remedy: string;
}

const ADVISORY_LOCK: SessionFeature = {
  pattern: /\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i,
  effect: "takes an advisory lock of its session",
  remedy: "use pg_advisory_xact_lock",
};

const FEATURES: readonly SessionFeature[] = [
  ADVISORY_LOCK,
  {
    pattern: /^\s*CREATE\s+(?:(?:GLOBAL|LOCAL)\s+)?TEMP(?:ORARY)?\b(?![^]*\bON\s+COMMIT\s+DROP\b)/i,
    effect: "makes a temporary table that stays in its session",
    remedy: "write ON COMMIT DROP",
  },
  {
    pattern: /^\s*SET\s+(?!LOCAL\b|TRANSACTION\b|CONSTRAINTS\b)|\bset_config\s*\([^()]*,\s*false\s*\)/i,
    effect: "sets a parameter of its session",
    remedy: "use SET LOCAL, or set_config with true",
  },
  {
    pattern: /^\s*PREPARE\b|\bWITH\s+HOLD\b/i,
    effect: "leaves a prepared statement or a cursor in its session",
    remedy: "use prepared: true, or a cursor of the transaction",
  },
];

/** True if several clients use a session in turns, a transaction each. */
const sharesSessions = (pool: PoolSettings): boolean =>
  ("mode" in pool && pool.mode !== "session") || (!hasPooler(pool) && "size" in pool);

const textOf = ({ pieces }: SqlText): string => pieces.join("x");

/** Objections to statements that leave something in a session which several clients share. Bodies of functions count. */
export function sessionObjections(program: Program, file: string, pool: PoolSettings): Objection[] {
  if (!sharesSessions(pool)) return [];
  const statements = program.transactions.flatMap(({ steps }) => sqlStepsOf(steps));
  const effects = FEATURES.flatMap((feature) => {
    const all = feature === ADVISORY_LOCK ? [...program.schema, ...statements] : statements;
    const sql = all.find((each) => feature.pattern.test(textOf(each)));
    return sql ? [`${placeText(sql.place, file)} ${feature.effect}: ${feature.remedy}`] : [];
  });
  if (effects.length === 0) return [];
  const words = `${pool.strategy} gives a session to another client after each transaction; ${effects.join("; ")}`;
  return [{ rule: "session-state", words }];
}

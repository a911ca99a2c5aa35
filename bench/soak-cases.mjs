// Draws the cases of a soak: a scenario of one trial with random target, payload, locking, isolation, shape and pool, and
// one to three faults. Case n of a seed is always the same. train-sim's own loader decides which of them may be combined,
// so that no second table of rules can drift from it.
import { deriveSeed, Prng } from "#program/foundation/prng.js";
import { NETWORK_PLACES } from "#program/faults/fault.js";
import { STOPPABLE_PROCESSES } from "#program/faults/process-stop.js";
import { kindOf } from "#program/faults/registry.js";
import { parseScenario } from "#program/scenario/loader.js";
import { keysOf } from "#program/syntax/tagged-union.js";
import { ISOLATION_LEVELS, LOCK_MODES } from "#program/database/levels.js";
import { POOL_MODES } from "#program/pools/keys.js";
import { REPLICATION_LEVELS } from "#program/targets/embedded/settings.js";
import { FULL_DISKS, SHUTDOWN_MODES } from "#program/targets/settings.js";
import { LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "#program/workloads/train-events/settings.js";

const WINDOW_SECONDS = 16;
/** Seconds of load without faults, before the first fault and after the last one. */
const FIRST_FAULT_SECONDS = 4;
const LAST_END_SECONDS = 10;
const FAULTS_COUNTS = [1, 1, 2, 3];
const STANDBYS_COUNTS = [0, 0, 2];
const ATTEMPTS = 200;

const pick = (prng, items) => items[prng.intBetween(0, items.length - 1)];
const seconds = (ms) => `${ms}ms`;

function poolOf(prng, hasPooler) {
  const size = prng.intBetween(4, 12);
  const strategy = pick(prng, ["direct", "pg-pool", ...(hasPooler ? ["pgbouncer", "pgbouncer"] : [])]);
  if (strategy === "direct")
    return { strategy, reconnect: pick(prng, ["never", "never", "per-transaction"]) };
  if (strategy === "pg-pool") return { strategy, size };
  return { strategy, size, mode: pick(prng, POOL_MODES), instances: prng.intBetween(1, 2) };
}

/** Draws the target of a case. Only asynchronous replication may lose events. */
function targetOf(prng, standbys) {
  if (standbys === 0) return { target: { kind: "embedded" } };
  const replication = pick(prng, REPLICATION_LEVELS);
  return {
    target: { kind: "embedded", standbys, replication },
    ...(replication === "async" && { integrity: { allow: ["lost"] } }),
  };
}

function settingsOf(prng, hasPooler, standbys) {
  const clients = (most) => ({ load: { clients: prng.intBetween(1, most) } });
  return {
    ...targetOf(prng, standbys ?? pick(prng, STANDBYS_COUNTS)),
    payload: pick(prng, PAYLOADS),
    locking: pick(prng, LOCKINGS),
    isolation: pick(prng, ISOLATION_LEVELS),
    statementShape: pick(prng, STATEMENT_SHAPES),
    prepared: pick(prng, [true, false]),
    pool: poolOf(prng, hasPooler),
    batch: { min: 1, max: prng.intBetween(5, 30) },
    appDelay: { min: "0ms", max: pick(prng, ["0ms", "5ms"]) },
    actors: {
      producers: { load: { clients: prng.intBetween(2, 6), thinkTime: "50ms" } },
      consumers: clients(6),
      archivers: clients(3),
    },
    trial: { warmUp: "1s", duration: `${WINDOW_SECONDS}s`, drain: "60s" },
    trials: 1,
    diagnosis: { ceiling: false },
  };
}

/** Draws values for keys of a kind of fault. Keys that are not here keep their defaults. */
const KEYS = {
  sessions: (prng) => pick(prng, [1, "50%", "100%"]),
  shutdown: (prng) => pick(prng, SHUTDOWN_MODES),
  process: (prng) => pick(prng, STOPPABLE_PROCESSES),
  disk: (prng) => pick(prng, FULL_DISKS),
  lock: (prng) => pick(prng, LOCK_MODES),
  connections: (prng) => prng.intBetween(0, 3),
  drop: (prng) => pick(prng, [true, false]),
  between: (prng) => pick(prng, NETWORK_PLACES),
  latency: (prng) => seconds(prng.intBetween(5, 100)),
  bandwidth: (prng) => `${prng.intBetween(50, 500)}kB`,
  standbys: (prng) => prng.intBetween(1, 2),
  commits: (prng) => pick(prng, ["10%", "50%", "100%"]),
};

function faultOf(prng, kinds) {
  const kind = pick(prng, kinds);
  const { keys } = kindOf(kind);
  const { takes } = keysOf({ keys });
  const isOver = !("for" in keys) || (takes.includes("for") && prng.float() < 0.5);
  const forMs = isOver ? 0 : prng.intBetween(300, 2500);
  const atMs = prng.intBetween(FIRST_FAULT_SECONDS * 1000, LAST_END_SECONDS * 1000 - forMs);
  const own = Object.keys(keys)
    .filter((key) => key in KEYS)
    .map((key) => [key, KEYS[key](prng)]);
  return { at: seconds(atMs), kind, ...(forMs > 0 && { for: seconds(forMs) }), ...Object.fromEntries(own) };
}

function loads(scenario) {
  try {
    parseScenario(JSON.stringify(scenario), "soak.yaml");
    return true;
  } catch (error) {
    if (error.name === "UsageError") return false;
    throw error;
  }
}

/** @returns a scenario that the loader accepts, with at least one fault of `kinds`, and with `standbys` if given */
export function drawCase(seed, number, { kinds, hasPooler, standbys }) {
  const prng = new Prng(deriveSeed(seed, "soak", number));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    /** @type {Record<string, any>} */
    let scenario = {
      name: `soak-${seed}-${number}`,
      seed: prng.uint32(),
      ...settingsOf(prng, hasPooler, standbys),
      faults: [],
    };
    if (!loads(scenario)) continue;
    for (let i = pick(prng, FAULTS_COUNTS); i > 0; i--) {
      const more = { ...scenario, faults: [...scenario.faults, faultOf(prng, kinds)] };
      if (loads(more)) scenario = more;
    }
    if (scenario.faults.length > 0) return scenario;
  }
  throw new Error(`no case of these faults loads: ${kinds.join(", ")}`);
}

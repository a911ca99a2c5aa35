// Operations that `fidelity.mjs` compares: as train-sim runs them, and as pgbench scripts with the same SQL, taken from the
// built program so that it cannot drift. pgbench sends text and makes nothing, so a parameter is a variable with a constant
// value, a batch's documents are constants of its statement, and keys come from a table. A parameter that is not found is
// an error.
import { eventOperations } from "#program/workloads/train-events/stores/operations.js";
import { RECENT_LIMIT } from "#program/workloads/train-events/stores/statements.js";
import { DocumentGenerator } from "#program/workloads/train-events/model/document-generator.js";

/** Schema of train-sim's tables. The server distinguishes the programs by pgbench's schema and role, which follow. */
export const OWN_NAMESPACE = "fidelity_own";
export const PEER_NAMESPACE = "fidelity_peer";
export const PEER_ROLE = "fidelity_pgbench";
/** Events in a batch. */
const BATCH = 20;
/**
 * Number of different batches of documents. pgbench adds them in turn, one per script: so few that each client has planned
 * all scripts before the window.
 */
const BATCHES = 4;
/**
 * Number of batches of keys, of which each add takes one: more than a round needs, since a repeated key would be an error.
 */
const KEYS = 50_000;
/** Number of different queries of the reader, within the number of scripts that pgbench accepts. */
const PROBES = 64;
/** Chances that leave nothing to chance: no pass fails, and each event takes exactly two passes. */
const CHANCES = { claim: 1, complete: 1, fail: 0 };
/**
 * Chances with which half of the claimed events complete. If whole batches completed, full and split batches would come in
 * long runs, depending on how clients met, and one program's archivers would find more than the other's.
 */
const MIXED = { ...CHANCES, complete: 0.5 };
/** Chances with which practically no event completes, so that the queue keeps its length. */
const ENDLESS = { ...CHANCES, complete: 1e-6 };
/** @type {{ payload: "text", statementShape: "single-statement", locking: "skip-locked" }} */
const SHAPE = { payload: "text", statementShape: "single-statement", locking: "skip-locked" };

/** Text of a statement of the workload; expressions of pgbench replace its $1, $2, ... */
function sql(name, words) {
  const { statements } = eventOperations({
    ...{ dialect: "postgres", namespace: PEER_NAMESPACE, isolation: "read committed" },
    ...SHAPE,
  });
  const text = statements.find((statement) => statement.name === name)?.text ?? "";
  const seen = new Set(text.match(/\$\d+/g));
  if (seen.size !== words.length)
    throw new Error(`${name} takes ${seen.size} parameters, not ${words.length}`);
  return `${text.replace(/\$(\d+)/g, (_, n) => words[n - 1])};\n`;
}

/** SQL literal without a colon, which pgbench would take for the beginning of a variable even inside of a literal. */
const literal = (text) => `E'${text.replace(/[\\':]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`)}'`;

const arrayOf = (texts) => `ARRAY[${texts.map(literal).join(",")}]::text[]`;

/**
 * Sequences that count turns. Their names are parameters: otherwise the server would reuse the plan of pgbench's add while
 * it plans train-sim's add again.
 */
const TURNS = { keyTurn: "fidelity.key_turn", authorityTurn: "fidelity.authority_turn" };

const next = (column, turn) =>
  `(SELECT ${column} FROM fidelity.keys WHERE number = (SELECT nextval(:${turn})))`;

/**
 * Adds with documents as constants, which cost the server nothing; receiving train-sim's costs little, and fetching them
 * from a table would cost 0.1 ms. Indexed values differ by event, as train-sim's do: ascending keys and random authorities.
 * They are read from a table, since making them takes longer.
 */
const adds = (seed) => {
  const documents = new DocumentGenerator(seed, "fidelity");
  return Array.from({ length: BATCHES }, (_, batch) => {
    const made = Array.from({ length: BATCH }, (_, index) => documents.at(batch * BATCH + index));
    const texts = (name) => arrayOf(made.map((document) => document[name]));
    const own = [texts("json"), texts("eventType")];
    return sql("add", [
      next("ids", "keyTurn"),
      ...own,
      next("authorities", "authorityTurn"),
      texts("trainId"),
    ]);
  });
};
const processWith = () => sql("process", [":limit", ":rolls", ":claim", ":complete", ":fail"]);
const ARCHIVE = sql("archive", [":limit"]);
const cycles = (seed) => adds(seed).map((add) => `${add}${processWith()}${ARCHIVE}`);

/** Rolls of a batch: every other one is below a half. */
const ROLLS = Array.from({ length: BATCH }, (_, index) => (index % 2 ? 0.75 : 0.25));

const variables = ({ claim, complete, fail }) => ({
  ...{ limit: BATCH, claim, complete, fail },
  rolls: `{${ROLLS.join(",")}}`,
});

/** Queries of train-sim's own reader for this seed. */
function probes(seed) {
  const documents = new DocumentGenerator(seed, "preload/0");
  return Array.from({ length: PROBES }, (_, number) => {
    const { eventType, authorityId, trainId } = documents.at(number);
    return { number, values: { type: eventType, authority: authorityId, train: trainId } };
  });
}

function readers(seed) {
  const asked = probes(seed);
  const variable = (name, number) => `:${name}${number}`;
  return {
    scripts: asked.map(({ number }) =>
      sql("read", [
        variable("type", number),
        ":recent",
        variable("authority", number),
        variable("train", number),
      ]),
    ),
    variables: {
      // The limit is a parameter, as in train-sim, because with it the server plans each execution.
      recent: RECENT_LIMIT,
      ...Object.fromEntries(
        asked.flatMap(({ number, values }) =>
          Object.entries(values).map(([name, value]) => [`${name}${number}`, value]),
        ),
      ),
    },
  };
}

const ARCHIVES_PER_SECOND = 30;
/** Seconds that pgbench runs longer than warm-up and window, in case train-sim takes longer to start. */
export const SLACK_SECONDS = 12;

/**
 * Number of events to archive: as many as the archivers can take, so that none finds an empty queue. Each gets two passes
 * during the warm-up.
 */
function archiveSizes({ seconds, warmUpSeconds }) {
  const events = ARCHIVES_PER_SECOND * BATCH * (warmUpSeconds + seconds + SLACK_SECONDS);
  return { events, processesPerSecond: Math.ceil((1.25 * 2 * events) / BATCH / warmUpSeconds) };
}

const NO_CLIENTS = { producers: false, consumers: false, archivers: false, readers: false };

/** Text that only one statement of the workload contains, by operation. */
const MARKS = {
  ...{ add: "WITH added", process: "rewritten AS", archive: "events_archive" },
  read: "events WHERE event_type",
};
/**
 * Value of plan_cache_mode that plans each execution. By default a session's first executions choose between a plan for all
 * limits and a plan for the actual one. Sessions then differ, and one plan takes several times as long as the other.
 */
const PLAN_EACH_TIME = "force_custom_plan";

/**
 * Operations to compare. `actors`, `topology` and the rest are keys of the scenario; `measured` is the operation in the
 * result. `ratePerSecond` leaves the server idle most of the time, so that measuring is compared and not two saturated
 * queues. `plans` is plan_cache_mode for both, and `statements` are regular expressions of a transaction's statements.
 * `warmingUp` is a second pgbench that supplies work until the window, like train-sim's other actors do; such a warm-up is
 * `warmUpTimes` as long.
 */
export const OPERATIONS = {
  add: {
    ...{ measured: "add", ratePerSecond: 60, preload: () => 0, advance: CHANCES },
    ...{ plans: "auto", statements: [MARKS.add] },
    actors: (load) => ({ ...NO_CLIENTS, producers: { load } }),
    pgbench: (seed) => ({ scripts: adds(seed), variables: TURNS }),
  },
  process: {
    ...{ measured: "process", ratePerSecond: 60, preload: () => 20_000, advance: ENDLESS },
    ...{ plans: PLAN_EACH_TIME, statements: [MARKS.process] },
    actors: (load) => ({ ...NO_CLIENTS, consumers: { load } }),
    pgbench: () => ({ scripts: [processWith()], variables: variables(ENDLESS) }),
  },
  archive: {
    ...{ measured: "archive", ratePerSecond: ARCHIVES_PER_SECOND, advance: CHANCES },
    ...{ plans: PLAN_EACH_TIME, statements: [MARKS.archive], warmUpTimes: 2.5 },
    preload: (lengths) => archiveSizes(lengths).events,
    actors: (load, lengths) => ({
      ...NO_CLIENTS,
      consumers: {
        load: {
          ...{ executor: "ramping-arrival-rate", startRate: archiveSizes(lengths).processesPerSecond },
          ...{ stages: [{ target: 0, duration: "0s" }], maxClients: load.maxClients },
        },
      },
      archivers: { load },
    }),
    pgbench: () => ({ scripts: [ARCHIVE], variables: { limit: BATCH } }),
    warmingUp: (lengths) => ({
      ratePerSecond: archiveSizes(lengths).processesPerSecond,
      pgbench: () => ({ scripts: [processWith()], variables: variables(CHANCES) }),
    }),
  },
  read: {
    ...{ measured: "read", ratePerSecond: 250, preload: () => 20_000, advance: CHANCES },
    ...{ plans: PLAN_EACH_TIME, statements: [MARKS.read] },
    actors: (load) => ({ ...NO_CLIENTS, readers: { load } }),
    pgbench: readers,
  },
  cycle: {
    ...{ measured: "__cycle__", ratePerSecond: 30, preload: () => 0, advance: MIXED },
    ...{ plans: PLAN_EACH_TIME, statements: [MARKS.add, MARKS.process, MARKS.archive] },
    topology: "cycle",
    actors: (load) => ({ cycle: { load } }),
    pgbench: (seed) => ({ scripts: cycles(seed), variables: { ...TURNS, ...variables(MIXED) } }),
  },
};

/** Scenario of levels and sizes that both sides share, in JSON, which is YAML too. */
export function scenarioOf({ preload, advance, topology = "actors", actors }, load, lengths) {
  return {
    ...SHAPE,
    ...{ preload: preload(lengths), advance, topology, actors: actors(load, lengths) },
    ...{ batch: BATCH, appDelay: 0, evidence: { every: "off" }, diagnosis: { ceiling: false } },
  };
}

/** Fills the table of keys and authorities that pgbench adds, with one row per batch. */
export async function fillKeys(admin) {
  await admin.query("CREATE SCHEMA fidelity");
  for (const turn of Object.values(TURNS))
    await admin.query(`CREATE SEQUENCE ${turn} MAXVALUE ${KEYS} CYCLE`);
  await admin.query(
    "CREATE TABLE fidelity.keys (number integer PRIMARY KEY, ids uuid[] NOT NULL, authorities uuid[] NOT NULL)",
  );
  // Each subquery mentions its row. Otherwise the server would evaluate it once for all rows.
  const batchOf = (made) => `(SELECT array_agg(${made}) FROM generate_series(1, ${BATCH} + 0 * number))`;
  await admin.query(`INSERT INTO fidelity.keys
    SELECT number, ${batchOf("uuidv7()")}, ${batchOf("gen_random_uuid()")}
    FROM generate_series(1, ${KEYS}) AS number`);
  await admin.query("VACUUM ANALYZE fidelity.keys");
}

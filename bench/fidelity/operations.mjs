// What is compared: operations of the workload as train-sim runs them, and as pgbench scripts with the same SQL, taken
// from the built program so that it cannot drift. pgbench sends text and makes nothing, so a parameter is a variable that
// is the same each time, a batch's documents are constants of its statement, and keys come from a table. A parameter that
// is not found is an error.
import { eventOperations } from "#program/workloads/train-events/sql/operations.js";
import { RECENT_LIMIT } from "#program/workloads/train-events/sql/statements.js";
import { DocumentGenerator } from "#program/workloads/train-events/model/document-generator.js";

/** Of pgbench's own tables, beside train-sim's; and its role, by which the server tells the two apart. */
export const OWN_NAMESPACE = "fidelity_own";
export const PEER_NAMESPACE = "fidelity_peer";
export const PEER_ROLE = "fidelity_pgbench";
/** Events of every batch. */
const BATCH = 20;
/** Batches of documents that pgbench adds in turn, a script each, so few that each client has a plan of all before the window. */
const BATCHES = 4;
/** Batches of keys, one for each transaction, more than a round has: the same again would be an error. */
const KEYS = 50_000;
/** Of the reader: as many questions as pgbench takes scripts, with room. */
const PROBES = 64;
/** What fails never and takes two passes, so that no dice are thrown. */
const CHANCES = { claim: 1, complete: 1, fail: 0 };
/**
 * Half of those that could complete do. Whole batches that did would come by in long turns, full or split as the clients
 * happened to meet, so that one program's archives found more than the other's; so each finds some.
 */
const MIXED = { ...CHANCES, complete: 0.5 };
/** Practically nothing completes, so that the queue stays as long as it was. */
const ENDLESS = { ...CHANCES, complete: 1e-6 };
/** @type {{ payload: "text", statementShape: "single-statement", locking: "skip-locked" }} */
const SHAPE = { payload: "text", statementShape: "single-statement", locking: "skip-locked" };

/** Text of a statement of the workload, its $1, $2, ... replaced by pgbench's words. */
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

/** As SQL, without a colon: pgbench takes one for the beginning of a variable, in a literal too. */
const literal = (text) => `E'${text.replace(/[\\':]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`)}'`;

const arrayOf = (texts) => `ARRAY[${texts.map(literal).join(",")}]::text[]`;

/** The sequences that say whose turn it is. Parameters, or the server would never plan an add anew where it does so with train-sim's. */
const TURNS = { keyTurn: "fidelity.key_turn", authorityTurn: "fidelity.authority_turn" };

const next = (column, turn) =>
  `(SELECT ${column} FROM fidelity.keys WHERE number = (SELECT nextval(:${turn})))`;

/**
 * Documents as constants take the server nothing; train-sim's it receives, which takes it little, and to fetch them from a
 * table would take 0.1 ms. What is indexed is another for each event, as train-sim's: keys that ascend over all clients, and
 * random authorities. To make them then and there takes longer than to look them up.
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

/** Every other roll is below a half. */
const ROLLS = Array.from({ length: BATCH }, (_, index) => (index % 2 ? 0.75 : 0.25));

const variables = ({ claim, complete, fail }) => ({
  ...{ limit: BATCH, claim, complete, fail },
  rolls: `{${ROLLS.join(",")}}`,
});

/** The reader's questions: those of train-sim's own reader, which are of its seed. */
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
      // A parameter as train-sim sends it, not a number in the text: the server plans each one anew for its sake.
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
/** That pgbench runs longer than warm-up and window: train-sim may take longer to start. */
export const SLACK_SECONDS = 12;

/** As many events as all archives can take, so none comes in vain; in the warm-up they are processed, twice each, with time to spare. */
function archived({ seconds, warmUpSeconds }) {
  const events = ARCHIVES_PER_SECOND * BATCH * (warmUpSeconds + seconds + SLACK_SECONDS);
  return { events, processesPerSecond: Math.ceil((1.25 * 2 * events) / BATCH / warmUpSeconds) };
}

const NOBODY = { producers: false, consumers: false, archivers: false, readers: false };

/** What of the workload's statements only that one has in its text. */
const MARKS = {
  ...{ add: "WITH added", process: "rewritten AS", archive: "events_archive" },
  read: "events WHERE event_type",
};
/**
 * The server's choice between a plan for all limits and one for this one is made by what the first executions of a session
 * met, so it differs from session to session, and one takes several times as long as the other.
 */
const PLANNED_ANEW = "force_custom_plan";

/**
 * `actors`, `topology` and the rest are the scenario's; `measured` is the operation of the result; `ratePerSecond` leaves
 * the server idle most of the time, so that what is compared is the measuring and not two saturated queues. `plans` is the
 * server's plan_cache_mode for both, and `statements` are regular expressions of what one transaction of it asks. What is
 * `warmingUp` is another pgbench, which until the window makes the work of what is measured, as train-sim's other actors do,
 * in a warm-up `warmUpTimes` as long.
 */
export const OPERATIONS = {
  add: {
    ...{ measured: "add", ratePerSecond: 60, preload: () => 0, advance: CHANCES },
    ...{ plans: "auto", statements: [MARKS.add] },
    actors: (load) => ({ ...NOBODY, producers: { load } }),
    pgbench: (seed) => ({ scripts: adds(seed), variables: TURNS }),
  },
  process: {
    ...{ measured: "process", ratePerSecond: 60, preload: () => 20_000, advance: ENDLESS },
    ...{ plans: PLANNED_ANEW, statements: [MARKS.process] },
    actors: (load) => ({ ...NOBODY, consumers: { load } }),
    pgbench: () => ({ scripts: [processWith()], variables: variables(ENDLESS) }),
  },
  archive: {
    ...{ measured: "archive", ratePerSecond: ARCHIVES_PER_SECOND, advance: CHANCES },
    ...{ plans: PLANNED_ANEW, statements: [MARKS.archive], warmUpTimes: 2.5 },
    preload: (lengths) => archived(lengths).events,
    actors: (load, lengths) => ({
      ...NOBODY,
      consumers: {
        load: {
          ...{ executor: "ramping-arrival-rate", startRate: archived(lengths).processesPerSecond },
          ...{ stages: [{ target: 0, duration: "0s" }], maxClients: load.maxClients },
        },
      },
      archivers: { load },
    }),
    pgbench: () => ({ scripts: [ARCHIVE], variables: { limit: BATCH } }),
    warmingUp: (lengths) => ({
      ratePerSecond: archived(lengths).processesPerSecond,
      pgbench: () => ({ scripts: [processWith()], variables: variables(CHANCES) }),
    }),
  },
  read: {
    ...{ measured: "read", ratePerSecond: 250, preload: () => 20_000, advance: CHANCES },
    ...{ plans: PLANNED_ANEW, statements: [MARKS.read] },
    actors: (load) => ({ ...NOBODY, readers: { load } }),
    pgbench: readers,
  },
  cycle: {
    ...{ measured: "__cycle__", ratePerSecond: 30, preload: () => 0, advance: MIXED },
    ...{ plans: PLANNED_ANEW, statements: [MARKS.add, MARKS.process, MARKS.archive] },
    topology: "cycle",
    actors: (load) => ({ cycle: { load } }),
    pgbench: (seed) => ({ scripts: cycles(seed), variables: { ...TURNS, ...variables(MIXED) } }),
  },
};

/** Levels and sizes that both sides share; JSON, which is YAML too. */
export function scenarioOf({ preload, advance, topology = "actors", actors }, load, lengths) {
  return {
    ...SHAPE,
    ...{ preload: preload(lengths), advance, topology, actors: actors(load, lengths) },
    ...{ batch: BATCH, appDelay: 0, evidence: { every: "off" }, diagnosis: { ceiling: false } },
  };
}

/** Keys and authorities of what pgbench adds, a row for each batch. */
export async function fillKeys(admin) {
  await admin.query("CREATE SCHEMA fidelity");
  for (const turn of Object.values(TURNS))
    await admin.query(`CREATE SEQUENCE ${turn} MAXVALUE ${KEYS} CYCLE`);
  await admin.query(
    "CREATE TABLE fidelity.keys (number integer PRIMARY KEY, ids uuid[] NOT NULL, authorities uuid[] NOT NULL)",
  );
  // Each subquery names its row, or it would be made once for all of them.
  const batchOf = (made) => `(SELECT array_agg(${made}) FROM generate_series(1, ${BATCH} + 0 * number))`;
  await admin.query(`INSERT INTO fidelity.keys
    SELECT number, ${batchOf("uuidv7()")}, ${batchOf("gen_random_uuid()")}
    FROM generate_series(1, ${KEYS}) AS number`);
  await admin.query("VACUUM ANALYZE fidelity.keys");
}

// What is compared: operations of the workload as train-sim runs them, and as pgbench scripts with the same SQL, taken
// from the built program so that it cannot drift. pgbench sends text and makes nothing, so a parameter is a variable that
// is the same each time, and a new batch's documents and keys come from tables. A parameter that is not found is an error.
import { createWorkload } from "#program/database/create-workload.js";
import { textArray, uuidArray } from "#program/database/binary-arrays.js";
import { RECENT_LIMIT } from "#program/database/statements.js";
import { DocumentGenerator } from "#program/model/document-generator.js";

/** Of pgbench's own tables, beside train-sim's. */
export const PEER_NAMESPACE = "fidelity_peer";
/** Events of every batch. */
const BATCH = 20;
/** Batches of documents that pgbench adds in turn; each has keys of its own. */
const BATCHES = 500;
/** Batches of keys, one for each transaction, more than a round has: the same again would be an error. */
const KEYS = 50_000;
/** Of the reader: as many questions as pgbench takes scripts, with room. */
const PROBES = 64;
/** What fails never and takes two passes, so that no dice are thrown. */
const CHANCES = { claim: 1, complete: 1, fail: 0 };
/** Practically nothing completes, so that the queue stays as long as it was. */
const ENDLESS = { ...CHANCES, complete: 1e-6 };
/** @type {{ payload: "text", statementShape: "single-statement", locking: "skip-locked" }} */
const SHAPE = { payload: "text", statementShape: "single-statement", locking: "skip-locked" };

/** Text of a statement of the workload, its $1, $2, ... replaced by pgbench's words. */
function sql(name, words) {
  const { statements } = createWorkload({
    ...{ dialect: "postgres", namespace: PEER_NAMESPACE, isolation: "read committed" },
    ...SHAPE,
  });
  const text = statements.find((statement) => statement.name === name)?.text ?? "";
  const seen = new Set(text.match(/\$\d+/g));
  if (seen.size !== words.length)
    throw new Error(`${name} takes ${seen.size} parameters, not ${words.length}`);
  return `${text.replace(/\$(\d+)/g, (_, n) => words[n - 1])};\n`;
}

const column = (name) => `(SELECT ${name} FROM fidelity.batches WHERE number = :number)`;
// Keys ascend over all clients, as train-sim's do. To make them then and there takes the server longer than to look them up.
const ADD = `\\set number random(1, ${BATCHES})
${sql("add", [
  "(SELECT ids FROM fidelity.keys WHERE number = (SELECT nextval('fidelity.turn')))",
  ...["payloads", "event_types", "authorities", "trains"].map(column),
])}`;
const processWith = () => sql("process", [":limit", ":rolls", ":claim", ":complete", ":fail"]);
const CYCLE = `${ADD}${processWith()}${sql("archive", [":limit"])}`;

const variables = ({ claim, complete, fail }) => ({
  ...{ limit: BATCH, claim, complete, fail },
  rolls: `{${Array.from({ length: BATCH }, () => 0.5).join(",")}}`,
});

/** The reader's questions: those of train-sim's own reader, which are of its seed. */
function probes(seed) {
  const documents = new DocumentGenerator(seed, "producers/0");
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

const NOBODY = { producers: false, consumers: false, archivers: false, readers: false };

/**
 * `actors`, `topology` and the rest are the scenario's; `measured` is the operation of the result; `ratePerSecond` leaves
 * the server idle most of the time, so that what is compared is the measuring and not two saturated queues.
 */
export const OPERATIONS = {
  add: {
    ...{ measured: "add", ratePerSecond: 60, preload: 0, advance: CHANCES },
    actors: (load) => ({ ...NOBODY, producers: { load } }),
    pgbench: () => ({ scripts: [ADD], variables: {} }),
  },
  process: {
    ...{ measured: "process", ratePerSecond: 60, preload: 20_000, advance: ENDLESS },
    actors: (load) => ({ ...NOBODY, consumers: { load } }),
    pgbench: () => ({ scripts: [processWith()], variables: variables(ENDLESS) }),
  },
  read: {
    ...{ measured: "read", ratePerSecond: 100, preload: 20_000, advance: CHANCES },
    actors: (load) => ({ ...NOBODY, readers: { load } }),
    pgbench: readers,
  },
  cycle: {
    ...{ measured: "__cycle__", ratePerSecond: 30, preload: 0, advance: CHANCES },
    topology: "cycle",
    actors: (load) => ({ cycle: { load } }),
    pgbench: () => ({ scripts: [CYCLE], variables: variables(CHANCES) }),
  },
};

/** Levels and sizes that both sides share; JSON, which is YAML too. */
export function scenarioOf({ preload, advance, topology = "actors", actors }, load) {
  return {
    ...SHAPE,
    ...{ preload, advance, topology, actors: actors(load) },
    ...{ batch: BATCH, appDelay: 0, evidence: { every: "off" }, diagnosis: { ceiling: false } },
  };
}

/** What pgbench adds: documents as many, and as large, as train-sim makes, and keys. */
export async function fillBatches(admin, documentBytes) {
  const generator = new DocumentGenerator(1, "fidelity", documentBytes);
  await admin.query("CREATE SCHEMA fidelity");
  await admin.query(`CREATE TABLE fidelity.batches (
    number integer PRIMARY KEY, payloads text[] NOT NULL, event_types text[] NOT NULL,
    authorities uuid[] NOT NULL, trains text[] NOT NULL)`);
  // As they are, not compressed: train-sim's come out of a parameter, which costs no unpacking either.
  await admin.query("ALTER TABLE fidelity.batches ALTER payloads SET STORAGE EXTERNAL");
  for (let number = 1; number <= BATCHES; number++) {
    const made = Array.from({ length: BATCH }, (_, index) => generator.at(number * BATCH + index));
    await admin.query("INSERT INTO fidelity.batches VALUES ($1, $2, $3, $4, $5)", [
      number,
      textArray(made.map(({ json }) => json)),
      textArray(made.map(({ eventType }) => eventType)),
      uuidArray(made.map(({ authorityId }) => authorityId)),
      textArray(made.map(({ trainId }) => trainId)),
    ]);
  }
  await admin.query(`CREATE SEQUENCE fidelity.turn MAXVALUE ${KEYS} CYCLE`);
  await admin.query("CREATE TABLE fidelity.keys (number integer PRIMARY KEY, ids uuid[] NOT NULL)");
  // Names its row, or it would be made once for all of them.
  await admin.query(`INSERT INTO fidelity.keys
    SELECT number, (SELECT array_agg(uuidv7()) FROM generate_series(1, ${BATCH} + 0 * number))
    FROM generate_series(1, ${KEYS}) AS number`);
  for (const table of ["batches", "keys"]) await admin.query(`VACUUM ANALYZE fidelity.${table}`);
}

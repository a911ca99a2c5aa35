// pgbench's built-in scripts, word for word, and the tables of `pgbench -i`, whose keys are made after the rows.
import { capabilitiesOf, type DialectName } from "../../database/registry.js";
import { nearest } from "../../syntax/nearest.js";
import type { Finding } from "../../syntax/problems.js";
import type { Invariant, SqlText } from "../script/program.js";
import { statementsIn } from "../script/sql-text.js";

export interface Builtin {
  readonly name: string;
  readonly text: string;
  readonly isReadOnly: boolean;
}

const TPCB_LIKE = `\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`;

export const BUILTINS: readonly Builtin[] = [
  { name: "tpcb-like", text: TPCB_LIKE, isReadOnly: false },
  {
    name: "simple-update",
    text: TPCB_LIKE.replace(/UPDATE pgbench_(tellers|branches).*\n/g, ""),
    isReadOnly: false,
  },
  {
    name: "select-only",
    text: `\\set aid random(1, 100000 * :scale)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
`,
    isReadOnly: true,
  },
];

/** Built-in script with that name, or with the only name that begins so, like in pgbench; otherwise the problem as text. */
export function findBuiltin(written: string): Builtin | string {
  const matches = BUILTINS.filter(({ name }) => name.startsWith(written));
  const [first, ...others] = matches;
  if (first && others.length === 0 && written !== "") return first;
  const names = BUILTINS.map(({ name }) => name);
  const near = nearest(written, names);
  return `no built-in script ${written}; ${near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`}`;
}

export const SCHEMA_TEXT = `CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84)) WITH (fillfactor = 100);
CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84)) WITH (fillfactor = 100);
CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88)) WITH (fillfactor = 100);
`;

export const PRELOAD_TEXT = `INSERT INTO pgbench_branches (bid, bbalance) SELECT bid, 0 FROM generate_series(1, :scale) bid;
INSERT INTO pgbench_tellers (tid, bid, tbalance)
  SELECT tid, (tid - 1) / 10 + 1, 0 FROM generate_series(1, 10 * :scale) tid;
INSERT INTO pgbench_accounts (aid, bid, abalance, filler)
  SELECT aid, (aid - 1) / 100000 + 1, 0, '' FROM generate_series(1, 100000 * :scale) aid;
VACUUM ANALYZE pgbench_branches;
VACUUM ANALYZE pgbench_tellers;
VACUUM ANALYZE pgbench_accounts;
VACUUM ANALYZE pgbench_history;
ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid);
ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid);
ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid);
`;

/** Parts of `SCHEMA_TEXT` and `PRELOAD_TEXT` that a dialect lacks. */
const MISSING_PARTS: Readonly<Partial<Record<DialectName, string>>> = {
  cockroachdb: "VACUUM",
  dsql: "fillfactor, keys added to filled tables, VACUUM, and 100000 rows in a transaction",
};

/** Refuses a dialect that cannot make and fill the tables of `pgbench -i`. */
export function tableProblems(dialect: DialectName): Finding[] {
  const parts = MISSING_PARTS[dialect];
  if (parts === undefined) return [];
  const message = `${capabilitiesOf(dialect).label} refuses the tables of pgbench -i: ${parts}; use workload: accounts, which is TPC-B`;
  return [{ path: ["workload"], message }];
}

function statements(text: string): SqlText[] {
  return statementsIn(text).statements.map((each) => ({
    ...each,
    place: { ...each.place, file: "pgbench -i" },
  }));
}

export const schema = (): SqlText[] => statements(SCHEMA_TEXT);
export const preload = (): SqlText[] => statements(PRELOAD_TEXT);

const sumOf = (column: string, table: string): string =>
  `(SELECT coalesce(sum(${column}), 0) FROM pgbench_${table})`;

const equalityInvariant = (name: string, left: string, right: string): Invariant => ({
  name,
  sql: {
    pieces: [`SELECT ${left} = ${right}`],
    variables: [],
    place: { line: 1, column: 1, file: "pgbench -i" },
  },
});

const HISTORY_SUM_SQL = sumOf("delta", "history");
const TELLER_SUM_SQL = sumOf("tbalance", "tellers");
const BRANCH_SUM_SQL = sumOf("bbalance", "branches");

/** Invariants that hold if no other scripts run. */
export function invariantsOf(names: readonly string[]): Invariant[] {
  if (names.every((name) => name === "select-only")) return [];
  const holdsTellerSum = !names.includes("simple-update");
  return [
    equalityInvariant("accounts add up to the history", sumOf("abalance", "accounts"), HISTORY_SUM_SQL),
    ...(holdsTellerSum
      ? [equalityInvariant("tellers add up to the history", TELLER_SUM_SQL, HISTORY_SUM_SQL)]
      : []),
    equalityInvariant("branches add up to the tellers", BRANCH_SUM_SQL, TELLER_SUM_SQL),
  ];
}

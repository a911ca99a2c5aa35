// The options of pgbench, and the keys of a scenario that have their meaning. Options that a key replaces are refused.
import { UsageError } from "../foundation/errors.js";
import { definedValue } from "../workloads/own.js";

/** A scenario under construction; `scripts` and `address` become its workload and target. */
export interface PgbenchScenario {
  readonly scripts: string[];
  readonly define: Record<string, number | string | boolean>;
  readonly address: { host?: string; port?: string; user?: string; database?: string };
  scale?: number;
  clients: number;
  workers?: number;
  prepared: boolean | "simple";
  attempts: number;
  seed?: number;
  ratePerSecond?: number;
  maxWaitMs?: number;
  iterations?: number;
  seconds?: number;
  reconnects?: true;
}

type Take = (scenario: PgbenchScenario, value: string) => void;

export interface PgbenchOption {
  /** Flags with the name of the value, as commander declares them. */
  readonly flags: string;
  /** Keys of the scenario that it becomes, as Markdown; for others the reason. */
  readonly becomes: string;
  /** Left out if the option changes nothing here. */
  readonly take?: Take;
  readonly isRefused?: true;
}

const PROTOCOLS: Readonly<Record<string, PgbenchScenario["prepared"]>> = {
  simple: "simple",
  extended: false,
  prepared: true,
};
const ATTEMPTS_MAX = 10_000;

/** Number in the value of an option. Throws a UsageError naming the option if it is out of range. */
function numberOf(option: string, value: string, min: number, isWhole = true): number {
  const number = Number(value);
  if (
    value.trim() !== "" &&
    number >= min &&
    (isWhole ? Number.isSafeInteger(number) : Number.isFinite(number))
  )
    return number;
  throw new UsageError(
    `${option} ${value}: expected a ${isWhole ? "whole " : ""}number, ${min === 0 ? "0 or more" : "above 0"}`,
    `Example: ${option} 10.`,
  );
}

const count = (option: string, value: string): number => numberOf(option, value, 1);

function addDefinition({ define }: PgbenchScenario, text: string): void {
  const [head, name = "", value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (head === undefined) throw new UsageError(`-D ${text}: expected name=value`, "Example: -D hot=1000.");
  const setting = definedValue(value);
  if (setting === null)
    throw new UsageError(`-D ${text}: a setting has a value`, "Write null instead of the variable.");
  define[name] = setting;
}

const taken = (flags: string, becomes: string, take: Take): PgbenchOption => ({ flags, becomes, take });
const unneeded = (becomes: string, ...flags: string[]): PgbenchOption[] =>
  flags.map((each) => ({ flags: each, becomes }));
const refused = (becomes: string, ...flags: string[]): PgbenchOption[] =>
  flags.map((each) => ({ flags: each, becomes, isRefused: true }));

const RESULT_HAS_IT = "nothing: the result has it";
const FRESH_TABLES = "nothing: each trial has fresh tables";
const OTHER_TABLES = "refused: write such tables below `-- schema` of a file of SQL";

export const PGBENCH_OPTIONS: readonly PgbenchOption[] = [
  taken("-f, --file <script[@weight]>", "a member of `workload.pgbench`", ({ scripts }, value) =>
    scripts.push(value),
  ),
  taken(
    "-b, --builtin <name[@weight]>",
    "a member of `workload.pgbench`: `builtin:NAME@WEIGHT`",
    ({ scripts }, value) => scripts.push(`builtin:${value}`),
  ),
  taken("-N, --skip-some-updates", "`workload.pgbench`: `builtin:simple-update`", ({ scripts }) =>
    scripts.push("builtin:simple-update"),
  ),
  taken("-S, --select-only", "`workload.pgbench`: `builtin:select-only`", ({ scripts }) =>
    scripts.push("builtin:select-only"),
  ),
  taken("-D, --define <name=value>", "a member of `workload.define`, and so a setting", addDefinition),
  taken("-s, --scale <n>", "`workload.scale`", (scenario, value) => {
    scenario.scale = count("-s", value);
  }),
  taken("-c, --client <n>", "`clients`; 1 if left out, as in pgbench", (scenario, value) => {
    scenario.clients = count("-c", value);
  }),
  taken("-j, --jobs <n>", "`actors.clients.workers`: threads; at most 64", (scenario, value) => {
    scenario.workers = count("-j", value);
  }),
  taken(
    "-T, --time <seconds>",
    "`trial.duration`; before it comes train-sim's warm-up",
    (scenario, value) => {
      scenario.seconds = count("-T", value);
    },
  ),
  taken(
    "-t, --transactions <n>",
    "`actors.clients.load`: executor `per-client-iterations`. Without `-t` and `-T`: a window of 10 s",
    (scenario, value) => {
      scenario.iterations = count("-t", value);
    },
  ),
  taken(
    "-R, --rate <per second>",
    "`actors.clients.load`: executor `constant-arrival-rate`, Poisson as in pgbench",
    (scenario, value) => {
      scenario.ratePerSecond = numberOf("-R", value, Number.MIN_VALUE, false);
    },
  ),
  taken(
    "-L, --latency-limit <ms>",
    "with `-R`: `load.maxWait`, after which an arrival is dropped; without `-R` refused: use a threshold on `p(95)`",
    (scenario, value) => {
      scenario.maxWaitMs = numberOf("-L", value, Number.MIN_VALUE, false);
    },
  ),
  taken(
    "-M, --protocol <simple|extended|prepared>",
    "`prepared`: `simple`, `false` or `true`; `simple` if left out, as in pgbench",
    (scenario, value) => {
      // pgbench takes the beginning of a name, too.
      const [name = ""] = Object.keys(PROTOCOLS).filter((each) => value !== "" && each.startsWith(value));
      const prepared = PROTOCOLS[name];
      if (prepared === undefined)
        throw new UsageError(`-M ${value}: expected simple, extended or prepared`, "Example: -M prepared.");
      scenario.prepared = prepared;
    },
  ),
  taken("-C, --connect", "`pool: { strategy: direct, reconnect: per-transaction }`", (scenario) => {
    scenario.reconnects = true;
  }),
  taken(
    "--max-tries <n>",
    "`retry.attempts`; 1 if left out, as in pgbench; 0, no limit, becomes 10000",
    (scenario, value) => {
      scenario.attempts = numberOf("--max-tries", value, 0) || ATTEMPTS_MAX;
    },
  ),
  taken("--random-seed <seed>", "`seed`; `time` and `rand` leave it out", (scenario, value) => {
    if (value !== "time" && value !== "rand") scenario.seed = numberOf("--random-seed", value, 0);
  }),
  taken(
    "-h, --host <host>",
    "the host of `target.url`; without `-h` an embedded server",
    ({ address }, value) => {
      address.host = value;
    },
  ),
  taken("-p, --port <port>", "the port of `target.url`", ({ address }, value) => {
    address.port = String(count("-p", value));
  }),
  taken("-U, --username <name>", "the user of `target.url`", ({ address }, value) => {
    address.user = value;
  }),
  taken(
    "-d, --dbname <name>",
    "the database of `target.url`; so does the last word",
    ({ address }, value) => {
      address.database = value;
    },
  ),
  ...unneeded(FRESH_TABLES, "-n, --no-vacuum", "-v, --vacuum-all"),
  ...unneeded(
    RESULT_HAS_IT,
    "-l, --log",
    "-r, --report-per-command",
    "--aggregate-interval <seconds>",
    "--sampling-rate <share>",
    "--log-prefix <prefix>",
    "--failures-detailed",
    "--verbose-errors",
  ),
  ...unneeded(
    "nothing: a run shows its progress on a terminal",
    "-P, --progress <seconds>",
    "--progress-timestamp",
    "--debug",
  ),
  ...unneeded("nothing: a non-retryable error ends the trial", "--exit-on-abort"),
  ...refused("refused: `train-sim schema print` prints statements of a scenario", "--show-script <name>"),
  ...refused(
    "refused: train-sim makes the tables itself, before each trial; leave it out",
    "-i, --initialize",
    "-I, --init-steps <steps>",
    "-q, --quiet",
  ),
  ...refused(
    OTHER_TABLES,
    "-F, --fillfactor <n>",
    "--foreign-keys",
    "--index-tablespace <name>",
    "--partition-method <name>",
    "--partitions <n>",
    "--tablespace <name>",
    "--unlogged-tables",
  ),
];

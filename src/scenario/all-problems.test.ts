// All problems are reported at once, from the schema and the rules, and no mistake causes a false problem. Tested
// for every key of the reference's scenarios, each broken in turn.
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseScenario } from "./loader.js";
import { getIn, isMapping, setIn, startsWith, parsePath, type Mapping, type Path } from "../syntax/paths.js";
import { problemText, ScenarioError, type ScenarioProblem } from "../syntax/problems.js";
import { isFull } from "../../test/support/lanes.js";
import { SCENARIO_EXAMPLES } from "../cli/reference/reference-examples.js";
import { REFUSED_EXAMPLES } from "../cli/reference/reference-refused.js";

function problemsOf(yaml: string): readonly ScenarioProblem[] {
  try {
    parseScenario(yaml, "x.yaml");
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems;
    throw error;
  }
}

/** The problems of a scenario as printed, without the file's name. */
function problemsIn(yaml: string): string[] {
  return problemsOf(`name: x\n${yaml}`).map((one) => problemText(one).replace("x.yaml:", ""));
}

describe("a scenario with several mistakes", () => {
  test.each([
    [
      "in groups, faults, target and levels",
      `target: { kind: url, sslmode: tls }
actors: { producers: { wokers: 2, load: { thinkTime: 5 } }, archiver: {} }
batch: { min: x, mix: 1 }
faults: [{ at: 5, kind: postgres-kill }, { at: 2s, kind: postgres-kill, lock: share }]
factors: { locking: [nowiat, nowait], payload: [jsonb, txt] }`,
      [
        /^2:31 target\.sslmode: expected one of/,
        /^3:24 actors\.producers\.wokers: unknown key; did you mean workers/,
        /^3:54 actors\.producers\.load\.thinkTime: a duration needs a unit/,
        /^3:61 actors\.archiver: unknown key/,
        /^4:15 batch\.min: expected a number/,
        /^4:18 batch\.mix: unknown key/,
        /^5:16 faults\[0\]\.at: a duration needs a unit/,
        /^5:73 faults\[1\]\.lock: belongs to kind lock-holder, not to postgres-kill$/,
        /^6:22 factors\.locking\[0\]: not one of/,
        /^6:56 factors\.payload\[1\]: not one of/,
      ],
    ],
    [
      "in an executor: a key of another executor, missing keys and a wrong value",
      "actors: { producers: { load: { executor: ramping-arrival-rate, iterations: 5, timeUnit: 1 } } }",
      [
        /^2:30 actors\.producers\.load: executor ramping-arrival-rate needs startRate$/,
        /^2:30 actors\.producers\.load: executor ramping-arrival-rate needs stages$/,
        /^2:64 actors\.producers\.load\.iterations: executor ramping-arrival-rate has no budget/,
        /^2:89 actors\.producers\.load\.timeUnit: a duration needs a unit/,
      ],
    ],
    [
      "against rules of all parts and thresholds",
      `target: { kind: url }
actors: { consumers: { workers: 8, clients: 4 } }
batch: { min: 100, max: 10 }
advance: { claim: 0, complete: 0.9, fail: 0.4 }
pool: { strategy: pgbouncer, mode: statement }
faults: [{ at: 20m, kind: postgres-kill }]
thresholds:
  add: ['medium<5']
  ad: ['p(99)<5']
  'add{payload}': ['p(99)<5']
  'add{payload:text}': ['p(99)<5']`,
      [
        /^2:9 target: kind url needs a url/,
        /^3:33 actors\.consumers\.workers: 8 workers for 4 clients/,
        /^4:15 batch\.min: min must not be greater than max \(100 > 10\)/,
        /^5:19 advance\.claim: 0 would leave every event PENDING/,
        /^5:32 advance\.complete: complete \+ fail must be at most 1/,
        /^6:36 pool\.mode: statement mode allows no/,
        /^7:16 faults\[0\]\.at: begins at 20m, but the window ends at 10s/,
        /^7:27 faults\[0\]\.kind: postgres-kill needs a server that train-sim runs itself/,
        /^9:9 thresholds\.add\[0\]: add has no medium/,
        /^10:3 thresholds\.ad: no metric ad; did you mean add\?/,
        /^11:3 thresholds\."add\{payload\}": not a metric/,
        /^12:3 thresholds\."add\{payload:text\}": payload is not a factor of this scenario/,
      ],
    ],
    [
      "against a dialect",
      "target: postgresql://a@b/c\ndialect: dsql\nlocking: for-update\nisolation: repeatable read\nbatch: { max: 5000 }",
      [/^1:1 payload: Aurora DSQL does not have/, /^6:15 batch\.max: Aurora DSQL changes/],
    ],
    [
      "in thresholds: operation, level, schedule and role",
      `factors: { payload: [text, jsonb] }
thresholds:
  ad: ['p(99)<5']
  'add{payload:jsnb}': ['p(99)<5']
  process: [dropped==0]
  read: ['p(9)>1']`,
      [
        /^4:3 thresholds\.ad: no metric ad/,
        /^5:3 thresholds\."add\{payload:jsnb\}": payload has no level jsnb; did you mean jsonb\?/,
        /^6:\d+ thresholds\.process: process is not started by a schedule here/,
        /^7:3 thresholds\.read: nothing measures read here/,
      ],
    ],
  ])("reports all problems %s", (_, yaml, expected) => {
    expect(problemsIn(yaml)).toEqual(expected.map((one) => expect.stringMatching(one) as string));
  });
});

describe("a scenario with one mistake", () => {
  test.each([
    ["a bad maximum of a batch", "batch: { min: 200, max: many }"],
    ["a misspelt maximum of a batch", "batch: { min: 200, maks: 300 }"],
    ["an unknown key of a batch", "batch: { min: 200, upper: 300 }"],
    ["a misspelt topology key", "topolgy: cycle\nactors: { cycle: {} }"],
    [
      "a misspelt executor",
      "actors: { producers: { load: { executor: constant-rate, rate: 5, maxClients: 2 } } }",
    ],
    [
      "a misspelt rate",
      "actors: { producers: { load: { executor: constant-arrival-rate, raet: 5, maxClients: 9 } } }",
    ],
    [
      "a number in place of a group",
      "actors: { producers: false, consumers: false, archivers: false, readers: 3 }",
    ],
    ["a misspelt required key", "pool: { strateggy: pgbouncer }"],
    [
      "a misspelt role whose key is a factor",
      "actors: { consumer: { clients: 16 } }\nfactors: { actors.consumers.workers: [1, 9] }",
    ],
    ["a text for a mapping with a factor", "trial: 5s\nfactors: { trial.duration: [3s, 30s] }"],
    [
      "a URL of another database",
      "dialect: cockroachdb\nisolation: serializable\ntarget: { url: mysql://h/d }",
    ],
    ["a duration without unit", "faults: [{ at: 1s, kind: lock-holder, for: 5 }]"],
    [
      "a misspelt level that a threshold selects",
      "factors: { payload: [jsonb, txt] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "a misspelt level that a treatment's name contains",
      "factors: { payload: [jsonb, txt] }\nthresholds: { 'add{treatment:text}': [max<5] }",
    ],
    [
      "a misspelt factor that a threshold selects",
      "factors: { paylod: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "misspelt factors that a threshold selects",
      "factrs: { payload: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "factors under an unknown key",
      "matrix: { payload: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "a misspelt level that an included level replaces",
      "payload: jsnob\nfactors: { locking: [nowait, for-update] }\ninclude: [{ locking: nowait, payload: text }]\nthresholds: { 'add{payload:jsonb}': [max<5] }",
    ],
    ["a role of the other topology", "actors: { cycle: {} }\nthresholds: { __cycle__: [max<5] }"],
    [
      "a misspelt arrival-rate executor",
      "actors: { producers: { load: { executor: arrival-rate } } }\nthresholds: { add: [dropped==0] }",
    ],
  ])("reports one problem for %s", (_, yaml) => {
    const found = problemsIn(yaml);
    expect(found.length, found.join("\n")).toBe(1);
  });
});

/** Every key and list entry, as paths. */
function placesIn(value: unknown, at: Path = []): Path[] {
  const keys = Array.isArray(value) ? [...value.keys()] : isMapping(value) ? Object.keys(value) : [];
  return keys.flatMap((key) => [[...at, key], ...placesIn(getIn(value, [key]), [...at, key])]);
}

/** Ways to break the scenario at a place: another value, or another name of the key. */
const BREAKS: readonly [string, (raw: Mapping, at: Path) => Path | undefined][] = [
  ["a wrong value", (raw, at) => (setIn(raw, at, "\u00a7") ? undefined : at)],
  ["a wrong mapping", (raw, at) => (setIn(raw, at, { "\u00a7": 1 }) ? undefined : at)],
  [
    "a misspelt key",
    (raw, at) => {
      const [parent, key] = [getIn(raw, at.slice(0, -1)), at.at(-1)];
      if (!isMapping(parent) || typeof key !== "string") return undefined;
      const entries = Object.entries(parent).map(
        ([name, value]) => [name === key ? `${key}x` : name, value] as const,
      );
      const renamed = Object.fromEntries(entries);
      if (at.length === 1) for (const name of Object.keys(raw)) Reflect.deleteProperty(raw, name);
      if (at.length === 1) Object.assign(raw, renamed);
      else setIn(raw, at.slice(0, -1), renamed);
      return [...at.slice(0, -1), `${key}x`];
    },
  ],
];

/** True for mappings whose keys the user chooses, or that are keyed by scenario paths. */
const isFree = ([first, second]: Path): boolean =>
  ["factors", "include", "exclude", "thresholds", "commands"].includes(String(first)) ||
  second === "settings";

describe.each([...REFUSED_EXAMPLES, ...SCENARIO_EXAMPLES])("$title", ({ yaml }) => {
  const sound = new Set(problemsOf(yaml).map(({ path, message }) => `${path}: ${message}`));

  test.each(BREAKS)("has no false problem with %s", (_, change) => {
    const places = placesIn(parse(yaml)).filter((path) => !isFree(path));
    for (const at of places.filter((_path, i) => isFull || i % 6 === 0)) {
      const raw = parse(yaml) as Mapping;
      const broken = change(raw, at);
      if (!broken) continue;
      const text = JSON.stringify(raw);
      const unsound = problemsOf(text)
        // Problems of a user's workload file are located in that file.
        .filter(
          ({ path }) => path !== "" && path !== "workload" && !startsWith(parsePath(path) ?? [], broken),
        )
        .map(({ path, message }) => `${path}: ${message}`)
        .filter((one) => !sound.has(one));
      expect(unsound, text).toEqual([]);
    }
  });

  test.each(["bogus: 1", "diagnosis: { celing: true }", "log: 5"])("has one more problem with %s", (more) => {
    const [key = ""] = more.split(":");
    if (getIn(parse(yaml), [key]) !== undefined) return;
    const found = problemsOf(`${yaml}\n${more}`);
    const others = found
      .filter(({ path }) => !path.startsWith(key))
      .map(({ path, message }) => `${path}: ${message}`);
    expect(found).toHaveLength(others.length + 1);
    // If a key may be a misspelling of any other, the rules' problems are not reported.
    if (key !== "bogus") expect(new Set(others)).toEqual(sound);
    expect(others.filter((one) => !sound.has(one))).toEqual([]);
  });

  test("reports the problem of a further rule as well", () => {
    const raw = parse(yaml) as Mapping;
    if (raw.retry !== undefined) return;
    const found = problemsOf(`${yaml}\nretry: { base: 2s }`).map(
      ({ path, message }) => `${path}: ${message}`,
    );
    expect(found).toHaveLength(sound.size + 1);
    expect(found).toEqual(expect.arrayContaining([...sound]));
  });
});

// Every problem of a scenario at once, and no false one: what is at fault hides nothing but what depends on it, and what
// stands in for it is never taken for the user's. Held for every key of the reference's scenarios, each broken in turn.
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseScenario } from "./loader.js";
import { getIn, isMapping, setIn, startsWith, parsePath, type Mapping, type Path } from "../syntax/paths.js";
import { problemText, ScenarioError, type ScenarioProblem } from "../syntax/problems.js";
import { EXAMPLES } from "../cli/reference/reference-examples.js";
import { REFUSED } from "../cli/reference/reference-refused.js";

function problemsOf(yaml: string): readonly ScenarioProblem[] {
  try {
    parseScenario(yaml, "x.yaml");
    return [];
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems;
    throw error;
  }
}

/** The problems as printed, without the file's name. */
function shown(yaml: string): string[] {
  return problemsOf(`name: x\n${yaml}`).map((one) => problemText(one).replace("x.yaml:", ""));
}

describe("a fault hides no other", () => {
  test.each([
    [
      "in another group of clients",
      "actors: { producers: { wokers: 2 }, consumers: { workers: 8, clients: 4 } }",
      [/producers\.wokers: unknown key; did you mean workers/, /consumers\.workers: 8 workers for 4 clients/],
    ],
    [
      "in the same mapping, by an unknown key",
      "batch: { min: 100, max: 10, mix: 1 }",
      [/batch\.min: min must not be greater than max \(100 > 10\)/, /batch\.mix: unknown key/],
    ],
    [
      "in the same group, by a wrong value",
      "actors: { consumers: { workers: 8, clients: 4, load: { thinkTime: 5 } } }",
      [/consumers\.workers: 8 workers for 4 clients/, /thinkTime: a duration needs a unit/],
    ],
    [
      "in the same chances",
      "advance: { claim: 0, complete: 2 }",
      [/advance\.claim: 0 would leave every event PENDING/, /advance\.complete: must be at most 1/],
    ],
    [
      "in the same target",
      "target: { kind: url, sslmode: tls }",
      [/target: kind url needs a url/, /target\.sslmode: expected one of/],
    ],
    [
      "in a later fault, whose place is its own in the list",
      "faults: [{ at: 5, kind: postgres-kill }, { at: 20m, kind: postgres-kill, lock: share }]",
      [
        /faults\[0\]\.at: a duration needs a unit/,
        /2:48 faults\[1\]\.at: begins at 20m, but the window ends at 10s/,
        /faults\[1\]\.lock: belongs to kind lock-holder/,
      ],
    ],
    [
      "in a group whose clients are the default, by a misspelt group",
      "actors: { archiver: {}, producers: { workers: 8 } }",
      [/actors\.archiver: unknown key/, /producers\.workers: 8 workers for 4 clients/],
    ],
    [
      "of the pool, by a misspelt group",
      "pool: { strategy: pgbouncer, mode: statement }\nactors: { producrs: {} }",
      [/pool\.mode: statement mode allows no/, /actors\.producrs: unknown key/],
    ],
    [
      "of the dialect",
      "target: postgresql://a@b/c\ndialect: dsql\nlocking: for-update\nisolation: repeatable read\nbatch: { min: x, max: 5000 }",
      [
        /payload: Aurora DSQL does not have/,
        /batch\.min: expected a number/,
        /batch\.max: Aurora DSQL changes/,
      ],
    ],
  ])("%s", (_, yaml, expected) => {
    const found = shown(yaml);
    expect(found.length, found.join("\n")).toBe(expected.length);
    for (const one of expected) expect(found).toContainEqual(expect.stringMatching(one));
  });

  test("of a threshold: a condition, an operation, a level, an operator, each by itself", () => {
    const yaml = `factors: { payload: [text, jsonb] }
batch: { min: 9, max: 3 }
thresholds:
  add: ['p(99)>>5', 'medium<5']
  ad: ['p(99)<5']
  'add{payload:jsnb}': ['p(99)<5']
  'add{payload}': ['p(99)<<5']
  process: [dropped==0]
  read: ['p(9)>>1']`;
    expect(shown(yaml)).toEqual([
      expect.stringMatching(/^3:\d+ batch\.min: min must not be greater than max/),
      expect.stringMatching(/^5:9 thresholds\.add\[0\]: not a threshold/),
      expect.stringMatching(/^5:21 thresholds\.add\[1\]: add has no medium/),
      expect.stringMatching(/^6:3 thresholds\.ad: no metric ad; did you mean add\?/),
      expect.stringMatching(
        /^7:3 thresholds\."add\{payload:jsnb\}": payload has no level jsnb; did you mean jsonb\?/,
      ),
      expect.stringMatching(/^8:3 thresholds\."add\{payload\}": not a metric/),
      expect.stringMatching(/^8:20 thresholds\."add\{payload\}"\[0\]: not a threshold/),
      expect.stringMatching(/^9:\d+ thresholds\.process: process is not started by a schedule here/),
      expect.stringMatching(/^10:3 thresholds\.read: nothing measures read here/),
      expect.stringMatching(/^10:10 thresholds\.read\[0\]: not a threshold/),
    ]);
  });
});

describe("no problem is only a consequence", () => {
  test.each([
    ["of a default in place of a bad value", "batch: { min: 200, max: many }"],
    ["of a default in place of a misspelt key", "batch: { min: 200, maks: 300 }"],
    ["of a default in place of a key that nobody recognises", "batch: { min: 200, upper: 300 }"],
    ["of a misspelt key at the top", "topolgy: cycle\nactors: { cycle: {} }"],
    [
      "of a misspelt executor",
      "actors: { producers: { load: { executor: constant-rate, rate: 5, maxClients: 2 } } }",
    ],
    [
      "of a misspelt rate",
      "actors: { producers: { load: { executor: constant-arrival-rate, raet: 5, maxClients: 9 } } }",
    ],
    [
      "of a group that cannot be read",
      "actors: { producers: false, consumers: false, archivers: false, readers: 3 }",
    ],
    ["of a misspelt key that is needed", "pool: { strateggy: pgbouncer }"],
    [
      "of a misspelt group beside a factor of it",
      "actors: { consumer: { clients: 16 } }\nfactors: { actors.consumers.workers: [1, 9] }",
    ],
    ["of a value that has no keys to vary", "trial: 5s\nfactors: { trial.duration: [3s, 30s] }"],
    [
      "of a URL that cannot be read",
      "dialect: cockroachdb\nisolation: serializable\ntarget: { url: mysql://h/d }",
    ],
    ["of a length that cannot be read", "faults: [{ at: 1s, kind: lock-holder, for: 5 }]"],
    [
      "of a level that is not one",
      "factors: { payload: [jsonb, txt] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "of a level without its name",
      "factors: { payload: [jsonb, txt] }\nthresholds: { 'add{treatment:text}': [max<5] }",
    ],
    [
      "of a misspelt factor",
      "factors: { paylod: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "of misspelt factors",
      "factrs: { payload: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "of factors by another name",
      "matrix: { payload: [jsonb, text] }\nthresholds: { 'add{payload:text}': [max<5] }",
    ],
    [
      "of a level beside those of inclusions",
      "payload: jsnob\nfactors: { locking: [nowait, for-update] }\ninclude: [{ locking: nowait, payload: text }]\nthresholds: { 'add{payload:jsonb}': [max<5] }",
    ],
    ["of a group of the other topology", "actors: { cycle: {} }\nthresholds: { __cycle__: [max<5] }"],
    [
      "of a misspelt arrival rate",
      "actors: { producers: { load: { executor: arrival-rate } } }\nthresholds: { add: [dropped==0] }",
    ],
  ])("%s", (_, yaml) => {
    const found = shown(yaml);
    expect(found.length, found.join("\n")).toBe(1);
  });
});

/** Every key and list entry, as paths. */
function placesIn(value: unknown, at: Path = []): Path[] {
  const keys = Array.isArray(value) ? [...value.keys()] : isMapping(value) ? Object.keys(value) : [];
  return keys.flatMap((key) => [[...at, key], ...placesIn(getIn(value, [key]), [...at, key])]);
}

/** The scenario with another value, or another name of the key, at that place. */
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

/** What is keyed by the user, or by the paths of all else. */
const isFree = ([first, second]: Path): boolean =>
  ["factors", "include", "exclude", "thresholds"].includes(String(first)) || second === "settings";

describe.each([...REFUSED, ...EXAMPLES])("$title", ({ yaml }) => {
  const sound = new Set(problemsOf(yaml).map(({ path, message }) => `${path}: ${message}`));

  test.each(BREAKS)("shows no false problem beside %s", (_, change) => {
    for (const at of placesIn(parse(yaml)).filter((path) => !isFree(path))) {
      const raw = parse(yaml) as Mapping;
      const broken = change(raw, at);
      if (!broken) continue;
      const text = JSON.stringify(raw);
      const unsound = problemsOf(text)
        .filter(({ path }) => !startsWith(parsePath(path) ?? [], broken))
        .map(({ path, message }) => `${path}: ${message}`)
        .filter((one) => !sound.has(one));
      expect(unsound, text).toEqual([]);
    }
  });

  test.each(["bogus: 1", "diagnosis: { celing: true }", "log: 5"])("is told of beside %s", (more) => {
    const [key = ""] = more.split(":");
    if (getIn(parse(yaml), [key]) !== undefined) return;
    const found = problemsOf(`${yaml}\n${more}`).map(({ path, message }) => `${path}: ${message}`);
    expect(found).toEqual(expect.arrayContaining([...sound]));
    expect(found).toHaveLength(sound.size + 1);
  });
});

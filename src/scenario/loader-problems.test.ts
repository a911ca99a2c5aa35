// Problems of factors and of the command line's overrides, and properties of all problems: complete, in order,
// without passwords, for any YAML.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lint } from "../analysis/lint/lint.js";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { messageOf } from "../foundation/errors.js";
import { parseScenario } from "./loader.js";
import { ScenarioError } from "../syntax/problems.js";

function problemsOf(yaml: string): string[] {
  return scenarioProblems(`name: x\n${yaml}`);
}

describe("invalid factors", () => {
  test.each([
    [
      "a path that does not exist",
      "factors: { paylod: [text] }",
      /2:12 factors\.paylod: .*did you mean payload\?/,
    ],
    ["a key of the experiment", "factors: { trials: [1, 2] }", /belongs to the experiment as a whole/],
    ["no levels", "factors: { payload: [] }", /2:21 factors\.payload: a factor needs at least one level/],
    [
      "an empty level",
      "factors: { payload: [text, ] , locking: [~] }",
      /factors\.locking\[0\]: expected a level/,
    ],
    [
      "a value that is also fixed",
      "payload: text\nfactors: { payload: [text, jsonb] }",
      /payload is set above and varies/,
    ],
    [
      "levels that are the same",
      "factors: { pool: [direct, { strategy: direct }] }",
      /2:1 factors: treatments direct and strategy-direct run the same settings/,
    ],
    [
      "an exclusion that matches no treatment",
      "factors: { payload: [text, jsonb] }\nexclude: [{ payload: jsonb-manual }]",
      /matches no/,
    ],
    [
      "an exclusion by a key that is not a factor",
      "factors: { payload: [text, jsonb] }\nexclude: [{ locking: nowait }]",
      /not a factor/,
    ],
    [
      "an exclusion of everything",
      "factors: { payload: [text] }\nexclude: [{ payload: text }]",
      /leaves no combination/,
    ],
    [
      "an inclusion of an existing combination",
      "factors: { payload: [text] }\ninclude: [{ payload: text }]",
      /adds nothing/,
    ],
    [
      "an inclusion that yields one treatment",
      "payload: jsonb\ninclude: [{ payload: text }]",
      /3:1 include: leaves one treatment, and the scenario's own payload in none; add an entry for that, or write the key above/,
    ],
    [
      "an inclusion that replaces a key in every treatment",
      "locking: nowait\nfactors: { payload: [text, jsonb] }\ninclude: [{ locking: for-update }]",
      /4:13 include\[0\]\.locking: replaces the locking above in every treatment; write it there, or leave factors out/,
    ],
    [
      "an inclusion that a later inclusion overwrites",
      "factors: { payload: [text, jsonb] }\ninclude: [{ locking: nowait }, { locking: for-update }]",
      /3:11 include\[0\]: a later entry sets locking of the same combinations; leave factors out/,
    ],
    [
      "too many combinations",
      `factors: { preload: [${Array.from({ length: 40 }, (_, i) => i).join(", ")}], clients: [${Array.from({ length: 40 }, (_, i) => i + 1).join(", ")}] }`,
      /2:1 factors: 1600 combinations; at most 1000/,
    ],
    [
      "too many combinations with inclusions",
      `factors: { preload: [${Array.from({ length: 1000 }, (_, i) => i).join(", ")}] }\ninclude: [{ preload: 1000 }]`,
      /3:1 include: makes 1001 combinations in all; at most 1000/,
    ],
  ])("are refused for %s", (_, yaml, expected) => {
    expect(problemsOf(yaml)).toContainEqual(expect.stringMatching(expected));
  });

  test("are refused once for a bad level, at its place, with the treatments that have it", () => {
    const yaml =
      "factors:\n  payload: [jsonb, text]\n  pool:\n    - direct\n    - { strategy: pg-pool, size: 0 }\n    - { strategy: pgbouncer, sise: 9 }";
    const found = problemsOf(yaml);
    expect(found[0]).toMatch(
      /^x\.yaml:6:34 factors\.pool\[1\]\.size: .*\[in treatment jsonb-pg-pool-0 and 1 more\]$/,
    );
    expect(found[1]).toBe(
      "x.yaml:7:30 factors.pool[2].sise: unknown key; did you mean size? [in treatment jsonb-pgbouncer-9 and 1 more]",
    );
    expect(found).toHaveLength(2);
  });

  test("are not refused for an exclusion that matches nothing after --set shortened its factor", () => {
    const yaml =
      "name: x\nfactors: { payload: [text, jsonb], locking: [nowait, skip-locked] }\nexclude: [{ payload: jsonb, locking: nowait }]";
    expect(scenarioProblems(yaml, { set: ["factors.payload=[text]"] })).toEqual([]);
  });
});

test("thousands of unknown keys are refused at once, with the first 20 and the number of the others", () => {
  const keys = (of: string): string => Array.from({ length: 200 }, (_, i) => `zzzz${of}x${i}: 1`).join(", ");
  const treatments = Array.from({ length: 12 }, (_, i) => String(i));
  const files = [
    `include:\n${treatments.map((i) => `  - { payload: text, ${keys(i)} }`).join("\n")}`,
    `factors:\n  pool:\n${treatments.map((i) => `    - { strategy: direct, ${keys(i)} }`).join("\n")}`,
    `factors: { payload: [text, jsonb] }\n${treatments.flatMap((i) => keys(i).split(", ")).join("\n")}`,
  ];
  for (const file of files) {
    let message = "";
    try {
      parseScenario(`name: x\n${file}\n`, "x.yaml");
    } catch (error) {
      message = messageOf(error);
    }
    const lines = message.split("\n");
    expect(lines).toHaveLength(22);
    expect(lines[0]).toMatch(/^\d+ problems in x\.yaml$/);
    expect(lines.at(-1)).toMatch(/^ {2}and \d+ more$/);
  }
});

describe("an invalid workload, target or duplicate key", () => {
  test.each([
    ["workload: document", /workload: not one of train-events, .*; did you mean documents\?/],
    ["workload: zzzz", /workload: expected one of train-events, .*, or your own file, such as \.\/bank\.sql/],
    ["target: postgresql://a@h:99999/d", /URL has an invalid port; ports are 1 to 65535/],
    ["target: postgresql://a@h:http/d", /URL has an invalid port; ports are 1 to 65535/],
    [
      "target: postgresql://a@h/d?sslrootcert=system",
      /sslrootcert=system, which is not supported; use sslmode=verify-full/,
    ],
    [
      "target: 'postgresql://a@/d?host=/tmp'",
      /URL names a user in front of a socket; write postgresql:\/\/\/database\?host=/,
    ],
    ["target: 'postgresql://a@::1:5432/d'", /URL has an IPv6 address without brackets/],
    ["target: 'postgresql://a@h1,h2:5433/d'", /URL names several hosts; list each as a separate URL in urls/],
    ["target: 'postgresql://a@h/d?channel_binding=require'", /URL has the parameter channel_binding, which/],
    ["target: 'postgresql://a@h/d?options=-c%20x=1'", /URL has the parameter options, which .* ALTER ROLE/],
    ["seed: 1\npayload: text\nseed: 2", /^x\.yaml:4:1 the key seed is there twice; the first is in line 2$/],
  ])("is refused with its correction: %s", (yaml, expected) => {
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(expected)]);
  });
});

describe("overrides by --set", () => {
  test.each([
    [["pool=pg-pool", "factors={ payload: [text, jsonb] }"]],
    [["workload=accounts", "actors.clients.load.clients=3", "factors={}"]],
    [["pool={ strategy: pg-pool, size: 4 }", "pool.size=8", "factors={}"]],
  ])("have the same result in any order: %j", (assignments) => {
    const yaml = "name: x\nseed: 1\nfactors: { pool: [direct, pg-pool] }\n";
    const treatmentsOf = (set: string[]) => parseScenario(yaml, "x.yaml", { set }).treatments;
    const expected = treatmentsOf(assignments);
    for (let turn = 1; turn < assignments.length; turn++)
      expect(treatmentsOf([...assignments.slice(turn), ...assignments.slice(0, turn)])).toEqual(expected);
    expect(treatmentsOf(assignments.toReversed())).toEqual(expected);
  });

  test("are refused with the same message before and after an override of the factors", () => {
    const factors = "factors={ pool: [direct, { strategy: pg-pool, size: 8 }] }";
    const message =
      "--set pool: pool is a factor of this scenario; use --set factors.pool=... to change or fix it";
    for (const set of [
      ["pool=direct", factors],
      [factors, "pool=direct"],
    ])
      expect(scenarioProblems("name: x\n", { set })).toEqual([message]);
  });

  test.each([
    [
      "actors.producer.clients=3",
      "--set actors.producer.clients: actors has no producer; did you mean actors.producers?",
    ],
    ["payloads=text", "--set payloads: a scenario has no payloads; did you mean payload?"],
    ["duration=30s", "--set duration: a scenario has no duration; did you mean trial.duration?"],
    [
      "producers.clients=4",
      "--set producers.clients: a scenario has no producers; did you mean actors.producers?",
    ],
    ["trial.warmup=3s", "--set trial.warmup: trial has no warmup; did you mean trial.warmUp?"],
    ["payload=txt", /^--set payload: not one of .*did you mean text\? \(seen "txt"\)$/],
    ["batch.min=500", "--set batch.min: min must not be greater than max (500 > 100)"],
    ["payload=[text", "--set payload: the value is not valid YAML"],
    ["trials", "--set trials: expected path=value, such as actors.producers.clients=16"],
    ["=5", "--set: expected path=value, such as actors.producers.clients=16"],
    ["factors.payload=[text, txt]", /^--set factors\.payload factors\.payload\[1\]: not one of/],
    ["factors.paylod=[text]", /^--set factors\.paylod: a scenario has no paylod/],
    ["locking=nowait", /^--set locking: locking is a factor of this scenario; use --set factors\.locking=/],
    ["name.x=1", /^--set name\.x: name has no x/],
    ["__proto__.x=1", /^--set __proto__\.x: a scenario has no __proto__/],
    ["target.settings.__proto__=1", /^--set target\.settings\.__proto__: __proto__ cannot be a key/],
    [`batch=${"[".repeat(60)}${"]".repeat(60)}`, "--set batch: nested too deeply"],
    [
      `actors.producers.load.thinkTime.min=${"[".repeat(48)}${"]".repeat(48)}`,
      "--set actors.producers.load.thinkTime.min: nested too deeply",
    ],
    ["factors.locking[7]=nowait", /^--set factors\.locking\[7\]: factors\.locking has nothing there/],
  ])("are refused with their path: --set %s", (set, expected) => {
    const found = scenarioProblems("name: x\nfactors: { locking: [skip-locked] }", { set: [set] });
    expect(found).toEqual([typeof expected === "string" ? expected : expect.stringMatching(expected)]);
  });

  test("are refused if a key of higher precedence sets the same clients", () => {
    const yaml = "name: x\nclients: 4\nactors: { producers: { clients: 8, load: { clients: 2 } } }";
    const set = [
      "actors.producers.load.clients=16",
      "actors.archivers.load.clients=3",
      "actors.producers.clients=9",
    ];
    expect(scenarioProblems(yaml, { set })).toEqual([
      "--set actors.producers.load.clients: has no effect, because actors.producers.clients overrides it; use --set actors.producers.clients=...",
      "--set actors.archivers.load.clients: has no effect, because clients overrides it; use --set actors.archivers.clients=...",
    ]);
    const free = "name: x\nactors: { producers: { load: { clients: 2 } } }";
    expect(
      parseScenario(free, "x.yaml", { set: ["actors.producers.load.clients=16"] }).treatments[0],
    ).toMatchObject({
      settings: { actors: { producers: { load: { clients: 16 } } } },
    });
  });

  test("warn if the clients of a group take precedence over --set clients", () => {
    const load = (yaml: string, clients: number) =>
      parseScenario(`name: x\n${yaml}`, "x.yaml", { set: [`clients=${clients}`] });
    const own = "topology: cycle\nactors: { cycle: { clients: 8 } }";
    expect(scenarioProblems(`name: x\n${own}`, { set: ["clients=4"] })).toEqual([
      "--set clients: has no effect, because actors.cycle.clients overrides it; set that instead",
    ]);
    expect(load(own, 8).warnings).toBeUndefined();
    const varied = "topology: cycle\nfactors: { actors.cycle.clients: [8, 16] }";
    expect(scenarioProblems(`name: x\n${varied}`, { set: ["clients=4"] })).toHaveLength(1);
    const some = load("actors: { producers: { clients: 8 }, archivers: false }", 4);
    expect(some.warnings).toEqual([
      "--set clients does not change producers: actors.producers.clients overrides it",
    ]);
    expect(lint(some).map(({ words }) => words)).toContain(some.warnings?.[0]);
    const stages =
      "{ load: { executor: ramping-clients, startClients: 1, stages: [{ target: 9, duration: 1s }] } }";
    expect(load(`actors: { producers: ${stages} }`, 4).warnings?.[0]).toContain(
      "actors.producers.load.stages overrides it",
    );
    expect(load("actors: { producers: { load: { clients: 2 } } }", 4).warnings).toBeUndefined();
  });

  test("are reported under the name of their flag", () => {
    expect(scenarioProblems("name: x", { trials: "abc", duration: "30", seed: -1 })).toEqual([
      "--seed: must be at least 0 (seen -1)",
      '--trials: expected a number, or a mapping (key: value) (seen "abc")',
      "--duration: a duration needs a unit; did you mean 30ms or 30s? (seen 30)",
    ]);
    expect(scenarioProblems("name: x\nfactors: { trial.duration: [1s, 2s] }", { duration: "9s" })).toEqual([
      expect.stringMatching(/^--duration: trial\.duration is a factor/),
    ]);
  });
});

test("a scenario without a name is refused", () => {
  expect(scenarioProblems("trials: 1")).toEqual(["x.yaml:1:1 name: missing; expected text"]);
});

test("problems are reported all at once, in the order of the file", () => {
  const yaml = `name: a b
paylod: text
batch: { min: 9, mox: 3 }
appDelay: 30
advance: { complete: 1.9, fail: 0.4 }
clients: -1
factors: { locking: [nowait, nowiat] }
trials: 0`;
  const places = scenarioProblems(yaml, { set: ["nme=y"] }).map((text) => text.split(": ")[0]);
  expect(places).toEqual([
    "--set nme",
    "x.yaml:1:7 name",
    "x.yaml:2:1 paylod",
    "x.yaml:3:18 batch.mox",
    "x.yaml:4:11 appDelay",
    "x.yaml:5:22 advance.complete",
    "x.yaml:6:10 clients",
    "x.yaml:7:30 factors.locking[1]",
    "x.yaml:8:9 trials",
  ]);
});

test("problems contain no password", () => {
  const passwords = ["pw1", "pw2", "pw3", "pw4"];
  const yaml = `name: x
target: { url: "oracle://u:pw1@h/d", urls: ["postgresql://u:pw2/@h/d"], kind: "postgresql://u:pw3@h/d" }
factors: { pool: ["postgresql://u:pw4@h"] }`;
  const found = scenarioProblems(yaml).join("\n");
  expect(found.split("\n").length).toBeGreaterThanOrEqual(4);
  for (const password of passwords) expect(found).not.toContain(password);
});

test("the loader returns an experiment or throws a ScenarioError for any YAML", () => {
  const key = fc.constantFrom(
    "name",
    "factors",
    "include",
    "exclude",
    "pool",
    "target",
    "batch",
    "actors",
    "trial",
    "x",
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("direct", "text", "5s", "", -1, 0, 3, 1e30, true, null),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom("payload", "pool", "size", "strategy", "min", "clients", "__proto__"),
        tie("node"),
      ),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(key, value), (document) => {
      try {
        parseScenario(JSON.stringify(document), "x.yaml");
      } catch (error) {
        expect(error).toBeInstanceOf(ScenarioError);
      }
    }),
    { numRuns: 100 },
  );
});

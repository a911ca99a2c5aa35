// The steps of the GitHub action and of the GitLab template, run like their runners do: real runs, a history between them,
// the verdict in the summary and in a comment, and the exit code. Steps that install and cache are left to the runner.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { scratchDirectory, writeScenarioFile } from "../support/train-sim.js";
import { TestRepository } from "../support/repository.js";
import { onSuiteServer } from "../support/suite-server.js";

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  runs: z.object({
    steps: z.array(
      z.object({
        id: z.string().optional(),
        if: z.string().optional(),
        run: z.string().optional(),
        env: z.record(z.string(), z.string()).optional(),
      }),
    ),
  }),
});

const SHORT = `
name: ci
trials: 1
topology: cycle
actors: { cycle: { load: { clients: 2, thinkTime: 10ms } } }
trial: { warmUp: 0s, duration: 1s, drain: 10s }
`;

/**
 * Sets up a checkout of train-sim without installed packages, a workspace, and stand-ins of `gh` and `curl` that record
 * their input.
 */
function stage(): { home: string; workspace: string; programs: string } {
  const root = scratchDirectory();
  const [home, workspace, programs] = ["home", "workspace", "programs"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [home, workspace, programs]) mkdirSync(directory);
  cpSync("ci", join(home, "ci"), { recursive: true });
  symlinkSync(resolve("dist"), join(home, "dist"));
  for (const name of ["gh", "curl"])
    writeFileSync(join(programs, name), `#!/bin/sh\necho "$@" > ${name}.txt\ncp verdict.md commented.md\n`, {
      mode: 0o755,
    });
  writeFileSync(join(programs, "npm"), "#!/bin/sh\n", { mode: 0o755 });
  return { home, workspace, programs };
}

type Place = ReturnType<typeof stage>;

function shell(
  script: string,
  { workspace, programs }: Place,
  env: Readonly<Record<string, string>>,
): number {
  const path = `${programs}:${process.env["PATH"] ?? ""}`;
  const done = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
    cwd: workspace,
    env: { ...process.env, PATH: path, ...env },
    encoding: "utf8",
  });
  return done.status ?? -1;
}

/**
 * Exit code that the verdict of a passed run asks for: 112 if load of other programs, such as other tests, disturbed the
 * newest run.
 */
function codeOfVerdict({ workspace }: Place): number {
  const verdict = readFileSync(join(workspace, "verdict.md"), "utf8");
  expect(verdict).toContain("Nothing can be concluded from");
  return verdict.includes("The newest run is not judged") ? 112 : 0;
}

/** Runs the steps of the action; returns the exit code of the first one that fails, or 0. */
function runAction(
  place: Place,
  event: string,
  inputs: Readonly<Record<string, string>>,
  baseSha = "",
): number {
  const action = Action.parse(parse(readFileSync("ci/github/action.yml", "utf8")));
  const files = {
    GITHUB_OUTPUT: join(place.home, "output"),
    GITHUB_STEP_SUMMARY: join(place.home, "summary"),
  };
  writeFileSync(files.GITHUB_OUTPUT, "");
  const valueOf = (expression: string): string => {
    const [context, ...names] = expression.trim().split(".");
    if (context === "inputs") return inputs[names[0] ?? ""] ?? action.inputs[names[0] ?? ""]?.default ?? "";
    if (context === "steps") return /^code=(.*)$/m.exec(readFileSync(files.GITHUB_OUTPUT, "utf8"))?.[1] ?? "";
    if (names.at(-1) === "sha") return baseSha;
    return names.at(-1) === "number" ? "7" : "token";
  };
  for (const step of action.runs.steps) {
    if (step.run === undefined || (step.if !== undefined && step.if !== `github.event_name == '${event}'`))
      continue;
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => valueOf(expression)),
    ]);
    const code = shell(step.run, place, {
      ...files,
      GITHUB_ACTION_PATH: join(place.home, "ci", "github"),
      ...(Object.fromEntries(env) as Record<string, string>),
    });
    if (code !== 0) return code;
  }
  return 0;
}

it("the GitHub action measures, keeps a history and comments the verdict on a pull request", () => {
  const place = stage();
  const scenario = writeScenarioFile(SHORT + onSuiteServer("ciaction"));
  const history = join(place.workspace, ".train-sim-history");
  expect(runAction(place, "push", { scenario })).toBe(codeOfVerdict(place));
  expect(runAction(place, "push", { scenario })).toBe(codeOfVerdict(place));
  expect(readdirSync(history)).toHaveLength(2);
  expect(readdirSync(place.workspace)).not.toContain("commented.md");
  expect(readFileSync(join(place.home, "summary"), "utf8")).toContain("Nothing can be concluded from");

  const failing = writeScenarioFile(
    `${SHORT}thresholds: { __cycle__: ["count>1000000"] }\n${onSuiteServer("ciaction")}`,
  );
  expect(runAction(place, "push", { scenario: failing, keep: "2" })).toBe(99);
  expect(readdirSync(history)).toHaveLength(2);
  const summary = readFileSync(join(place.home, "summary"), "utf8");
  expect(summary).toContain(`The run of ${failing} ended with exit code 99.`);
  expect(summary).toMatch(/Thresholds: 1 of 1 FAILED/);
  expect(readFileSync(join(place.workspace, "train-sim.xml"), "utf8")).toContain('failures="1"');
});

it("the GitHub action compares a pull request with its base, and comments", () => {
  const repository = new TestRepository();
  const yaml = SHORT + onSuiteServer("cirequest");
  repository.commit("Start", { "queue.yaml": yaml });
  const base = repository.git("rev-parse", "HEAD");
  repository.commit("Two clients more", { "queue.yaml": yaml.replace("clients: 2", "clients: 4") });
  const place = { ...stage(), workspace: repository.path };
  const code = runAction(place, "pull_request", { scenario: "queue.yaml" }, base);
  const comment = readFileSync(join(place.workspace, "commented.md"), "utf8");
  expect(comment).toContain("(Two clients more) against");
  // Load of other tests may disturb the run.
  expect(comment).toMatch(code === 112 ? /Not judged/ : /Nothing can be concluded from 1 trial/);
  expect([0, 112]).toContain(code);
  expect(readFileSync(join(place.workspace, "gh.txt"), "utf8")).toContain("pr comment 7");
});

it("the GitLab template measures and comments the verdict on a merge request", () => {
  const place = stage();
  const template = z
    .object({
      ".train-sim": z.object({ variables: z.record(z.string(), z.string()), script: z.array(z.string()) }),
    })
    .parse(parse(readFileSync("ci/gitlab/train-sim.yml", "utf8")))[".train-sim"];
  const run = (scenario: string, more: Readonly<Record<string, string>> = {}): number =>
    shell(template.script.join("\n"), place, {
      ...template.variables,
      SCENARIO: scenario,
      TRAIN_SIM_DIR: place.home,
      ...more,
    });
  expect(run(writeScenarioFile(SHORT + onSuiteServer("cigitlab")))).toBe(codeOfVerdict(place));
  expect(readdirSync(place.workspace)).not.toContain("commented.md");
  const merge = {
    CI_MERGE_REQUEST_IID: "7",
    TRAIN_SIM_TOKEN: "token",
    CI_API_V4_URL: "https://gitlab.example/api/v4",
    CI_PROJECT_ID: "3",
  };
  expect(run("missing.yaml", merge)).toBe(104);
  expect(readFileSync(join(place.workspace, "curl.txt"), "utf8")).toContain(
    "projects/3/merge_requests/7/notes",
  );
  expect(readFileSync(join(place.workspace, "commented.md"), "utf8")).toContain("exit code 104");
});

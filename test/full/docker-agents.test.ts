// docker/agents/ without an engine: Docker Compose itself resolves the file, and its commands run here with certificates
// from the committed script, unchanged except for paths and addresses.
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, it } from "vitest";
import { loadScenario } from "../../src/scenario/loader.js";
import { tokenFile, whereToJoin } from "../support/agents.js";
import { debianProgram } from "../support/debian-program.js";
import { DOCKER } from "../support/docker-compose.js";
import { testNamespace } from "../support/namespace.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, startTrainSim } from "../support/train-sim.js";

const run = promisify(execFile);

/** Keys that the tests check of a file that Compose has checked and resolved. */
interface Resolved {
  readonly services: Readonly<Record<"agent" | "certificates" | "coordinator" | "postgres", Service>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
}

interface Service {
  readonly command: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly image: string;
  readonly ports?: readonly { readonly host_ip: string }[];
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly volumes: readonly { readonly source: string; readonly target: string }[];
}

let copy: string;
let composeProgram: string;

beforeAll(async () => {
  const program = "usr/libexec/docker/cli-plugins/docker-compose";
  composeProgram = await debianProgram({ suite: "trixie", packageName: "docker-compose", program });
  copy = join(scratchDirectory(), "docker");
  await cp(DOCKER, copy, { recursive: true });
  await rm(join(copy, "agents", ".env"), { force: true });
});

async function resolveCompose(env: NodeJS.ProcessEnv = {}): Promise<Resolved> {
  const args = ["-f", join(copy, "agents", "compose.yaml"), "config", "--format", "json"];
  const { stdout } = await run(composeProgram, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout) as Resolved;
}

it("compose.yaml requires the password and the token that make-env.sh makes", async () => {
  await expect(resolveCompose()).rejects.toThrow(
    /TRAIN_SIM_PASSWORD is missing a value: run docker\/make-env\.sh/,
  );
  await run("sh", [join(copy, "make-env.sh"), join(copy, "agents")]);
  const { secrets, services } = await resolveCompose();
  const made = await readFile(join(copy, "agents", ".env"), "utf8");
  expect(made).toMatch(/^TRAIN_SIM_TOKEN=[0-9a-f]{64}$/m);
  expect(secrets["token"]?.environment).toBe("TRAIN_SIM_TOKEN");
  const { agent, coordinator } = services;
  for (const { secrets: given = [] } of [agent, coordinator])
    expect(given).toEqual([{ source: "token", target: "/run/secrets/token" }]);
});

it("compose.yaml starts as many agents as the coordinator awaits, and publishes only the database", async () => {
  for (const [env, count] of [
    [{}, 2],
    [{ AGENTS: "4" }, 4],
  ] as const) {
    const { agent, coordinator, postgres } = (await resolveCompose(env)).services;
    expect(agent.deploy?.replicas).toBe(count);
    expect(coordinator.command[coordinator.command.indexOf("--agents") + 1]).toBe(String(count));
    expect([agent.ports, coordinator.ports]).toEqual([undefined, undefined]);
    expect(postgres.ports?.map(({ host_ip }) => host_ip)).toEqual(["127.0.0.1"]);
    expect([agent.image, coordinator.image]).toEqual(["train-sim", "train-sim"]);
  }
});

it("compose.yaml accepts another scenario, and its default scenario loads with 16 agents", async () => {
  const sourceOf = ({ services }: Resolved): string | undefined =>
    services.coordinator.volumes.find(({ target }) => target === "/scenario.yaml")?.source;
  expect(sourceOf(await resolveCompose({ SCENARIO: "/srv/own.yaml" }))).toBe("/srv/own.yaml");
  const { treatments } = await loadScenario(sourceOf(await resolveCompose()) ?? "", { agents: 16 });
  expect(treatments[0]?.settings.target).toMatchObject({ kind: "url", ca: "/certs/ca.crt" });
});

it("the commands of compose.yaml complete a run over TLS with the coordinator's host name", async () => {
  const { services } = await resolveCompose();
  const certs = join(scratchDirectory(), "certs");
  await mkdir(certs);
  const env = { ...process.env, TRAIN_SIM_PASSWORD: "secret" };
  await run("sh", [join(copy, "make-certificates.sh"), certs], { env });
  const certificate = new X509Certificate(await readFile(join(certs, "coordinator.crt")));
  const url = new URL(services.agent.command[services.agent.command.indexOf("--join") + 1] ?? "");
  expect(certificate.checkHost(url.hostname)).toBe(url.hostname);

  const out = join(scratchDirectory(), "results");
  const here = (words: readonly string[], more: Readonly<Record<string, string>>): string[] => {
    const places = { "/certs": certs, "/run/secrets/token": tokenFile(), ...more };
    return words.map((word) => Object.entries(places).reduce((text, [a, b]) => text.replace(a, b), word));
  };
  const places = {
    ...{ "/scenario.yaml": join(copy, "agents", "scenario.yaml"), "/srv/train-sim/results": out },
    "0.0.0.0:5670": "127.0.0.1:0",
  };
  const coordinator = startTrainSim([
    ...here(services.coordinator.command, places),
    ...[
      "--set",
      `target=${urlOf(inject("adminEndpoint"))}`,
      "--set",
      `namespace=${testNamespace("compose")}`,
    ],
    ...["--set", "trial={ warmUp: 300ms, duration: 1s, drain: 20s }", "--set", "preload=0"],
    ...["--trials", "1", "--set", "actors.producers.load.rate=40", "--set", "diagnosis.ceiling=false"],
  ]);
  const { port } = new URL(await whereToJoin(coordinator));
  const words = here(services.agent.command, { "coordinator:5670": `localhost:${port}` });
  const agents = [startTrainSim(words), startTrainSim(words)];
  const { exitCode, stderr } = await coordinator.ended;
  expect(exitCode, stderr).toBe(0);
  for (const agent of agents) expect((await agent.ended).exitCode).toBe(0);
  const trial = onlyResultIn(out).result.treatments[0]?.trials[0];
  expect(trial?.integrity?.verdict).toBe("ok");
  expect(trial?.agents).toHaveLength(2);
});

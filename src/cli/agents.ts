// `train-sim agents manifest` prints YAML with which Kubernetes can start a run with agents. The command itself starts
// nothing.
import type { Command } from "commander";
import { stringify } from "yaml";
import { UsageError } from "../foundation/errors.js";
import { readToken } from "../engine/agents/token.js";
import { kubernetesManifest, type ManifestOptions } from "../engine/agents/kubernetes-manifest.js";
import { loadScenario } from "../scenario/loader.js";
import { positiveNumber } from "./option-values.js";

interface ManifestCommandOptions extends Omit<ManifestOptions, "token" | "scenario"> {
  readonly tokenFile: string;
}

export function register(program: Command): void {
  const agentsCommand = program.command("agents").description("Start agents on other machines");
  agentsCommand
    .command("manifest")
    .description("Print Kubernetes manifests for a run of that scenario with agents")
    .argument("<scenario>", "scenario file; its target must be a url that the pods can reach")
    .requiredOption("--agents <n>", "number of agents, each on its own node", positiveNumber)
    .requiredOption("--image <image>", "image of train-sim, as docker/Dockerfile builds it")
    .requiredOption("--token-file <file>", "the secret of agents and coordinator; it is printed")
    .option("--workers <n>", "worker threads, and processors, of each agent", positiveNumber, 4)
    .option("--memory <quantity>", "of each pod", "4Gi")
    .option("--name <name>", "what the objects' names begin with", "train-sim")
    .action(printManifest);
}

async function printManifest(scenario: string, options: ManifestCommandOptions): Promise<void> {
  const { tokenFile, ...manifestOptions } = options;
  const manifestObjects = kubernetesManifest({
    ...manifestOptions,
    token: await readToken(tokenFile),
    scenario: await scenarioForAgents(scenario, options.agents),
  });
  const { name } = options;
  const header = [
    "# kubectl apply -f - creates these. They need two secrets of yours:",
    `# ${name}-tls: tls.crt and tls.key for the name ${name}-coordinator, and ca.crt, as cert-manager makes them`,
    `# ${name}-database: PGPASSWORD, unless the scenario's URL can do without`,
    `# Results are in the volume ${name}-results. To run again, delete both jobs first.`,
  ];
  process.stdout.write(
    `${header.join("\n")}\n${manifestObjects.map((each) => stringify(each)).join("---\n")}`,
  );
}

/** The resolved scenario, without passwords. Throws a UsageError if no agent on another machine could run it. */
async function scenarioForAgents(scenario: string, agents: number): Promise<string> {
  const { treatments, yaml } = await loadScenario(scenario, { agents, environment: process.env });
  if (treatments.every(({ settings }) => settings.target.kind === "url")) return yaml;
  throw new UsageError(
    `${scenario} runs on a server that train-sim starts, which listens on loopback only`,
    "Give it a target with a url that the pods can reach.",
  );
}

// `train-sim doctor`: changes nothing; ends with 104 if this machine cannot carry the given scenario.
import type { Command } from "commander";
import { ExitCode, messageOf, TrainSimError, UsageError } from "../foundation/errors.js";
import { clockSource, connectionLimits, isQuickClockSource, machineFacts } from "../foundation/machine.js";
import { distinct } from "../foundation/distinct.js";
import { counted, formatSize } from "../foundation/units.js";
import { faultObstacle, openFilesOf, shortageOf } from "../engine/session/demand.js";
import { machineCaveats } from "../engine/session/machine-caveats.js";
import { factsOf } from "../engine/session/own-server-facts.js";
import {
  leftoverSchemas,
  obstaclesOn,
  obstaclesToStart,
  ownServersOf,
  type OwnServer,
} from "../engine/session/preflight.js";
import { FAULT_KINDS } from "../faults/registry.js";
import { loadScenario, parseScenario } from "../scenario/loader.js";
import { describeEndpoint } from "../database/endpoint.js";
import { capabilitiesOf } from "../database/registry.js";
import { loadOfAgents, loadOfThisProcess } from "../scenario/connections.js";
import type { Experiment } from "../scenario/settings.js";
import { TARGET_KINDS } from "../targets/registry.js";
import { arePoolersAtAgents, isManaged, poolerKindOf, STRATEGIES } from "../pools/registry.js";
import { findOrphans, orphanCommand, orphanWords } from "../foundation/process/orphans.js";
import { WORKLOADS, workloadOf } from "../workloads/registry.js";
import { packageVersion } from "./package-info.js";

/** One line of the report. `missing` is optional. */
interface Finding {
  readonly state: "ok" | "warning" | "missing" | "problem";
  readonly what: string;
  readonly detail: string;
  readonly remedy: string;
}

export function register(program: Command): void {
  program
    .command("doctor")
    .description("Check this machine and a scenario's database, and print a remedy for each problem")
    .argument("[scenario]", "check the machine against this scenario's clients too")
    .option("--url <url>", "check the server at this URL, without a scenario and without this machine")
    .option("--json", "print the findings as JSON")
    .action(doctor);
}

async function doctor(scenario: string | undefined, options: { json?: true; url?: string }): Promise<void> {
  const findings =
    options.url === undefined ? await examine(scenario) : await examineUrl(options.url, scenario);
  process.stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : render(findings));
  if (findings.some(({ state }) => state === "problem")) process.exitCode = ExitCode.invalid;
}

async function examine(scenario: string | undefined): Promise<Finding[]> {
  const experiment =
    scenario === undefined ? undefined : await loadScenario(scenario, { environment: process.env });
  return [
    examineMachine(),
    ...(await examineTargets(experiment)),
    ...(await examineStart(experiment)),
    ...examineCaveats(experiment),
    ...(await examinePoolers(experiment)),
    ...examineFacilities(experiment),
    openFiles(experiment),
    ...examineClock(),
    ...examineAgentThreads(experiment),
    await examineFaults(experiment),
    ...(await examineLeftovers()),
    ...(await examineOwnServers(experiment)),
  ];
}

/** Findings on the server alone, as the least demanding scenario needs it. */
async function examineUrl(url: string, scenario: string | undefined): Promise<Finding[]> {
  if (scenario !== undefined)
    throw new UsageError("--url checks a server without a scenario", "Leave one of the two out.");
  const text = JSON.stringify({ name: "doctor", workload: "documents", target: { url } });
  return examineOwnServers(parseScenario(text, "--url", { environment: process.env }));
}

function render(findings: readonly Finding[]): string {
  const marks = { ok: "ok      ", warning: "warning ", missing: "optional", problem: "PROBLEM " };
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .map(({ state, what, detail, remedy }) => {
      const indent = " ".repeat(width + 12);
      const remedyText = remedy ? `\n${indent}${remedy.replaceAll("\n", `\n${indent}`)}` : "";
      return `${marks[state]}  ${what.padEnd(width)}  ${detail}${remedyText}\n`;
    })
    .join("");
}

function examineMachine(): Finding {
  const { cores, cpuModel, memoryBytes, nodeVersion, platform, loadAverage1m } = machineFacts();
  const isMachineBusy = loadAverage1m > cores / 2;
  return {
    state: "ok",
    what: "machine",
    detail: `train-sim ${packageVersion()}, node ${nodeVersion}, ${platform}, ${cores} cores (${cpuModel}), ${formatSize(memoryBytes)}, load ${loadAverage1m.toFixed(2)}`,
    remedy: isMachineBusy ? "The machine is busy with something else: measurements will be disturbed." : "",
  };
}

async function examineTargets(experiment: Experiment | undefined): Promise<Finding[]> {
  const kinds = new Set(experiment?.treatments.map(({ settings }) => settings.target.kind));
  return Promise.all(
    TARGET_KINDS.flatMap(({ settings: { name }, needs }) =>
      needs
        ? [facilityFinding(needs.what, kinds.has(name), async () => ({ detail: await needs.find() }))]
        : [],
    ),
  );
}

async function examineStart(experiment: Experiment | undefined): Promise<Finding[]> {
  const obstacles = await obstaclesToStart(experiment?.treatments ?? [], experiment?.directory);
  return obstacles.map(({ words, remedy }) => ({ state: "problem", what: "target", detail: words, remedy }));
}

function examineCaveats(experiment: Experiment | undefined): Finding[] {
  const words = machineCaveats(experiment?.treatments ?? []).map((caveat) => caveat.words);
  return [...words, ...(experiment?.ignoredVariables ?? [])].map((detail) => {
    return { state: "warning", what: "target", detail, remedy: "" };
  });
}

/** Finding on a facility that `find` looks for; a problem if it is needed and missing. */
async function facilityFinding(
  what: string,
  isFacilityNeeded: boolean,
  find: () => Promise<Pick<Finding, "detail"> & Partial<Finding>>,
): Promise<Finding> {
  try {
    return { state: "ok", what, remedy: "", ...(await find()) };
  } catch (error) {
    return missingFinding(what, error, isFacilityNeeded ? "problem" : "missing");
  }
}

async function examinePoolers(experiment: Experiment | undefined): Promise<Finding[]> {
  const neededProducts = experiment?.treatments.flatMap(({ settings: { pool } }) =>
    isManaged(pool) && !arePoolersAtAgents(pool) ? [poolerKindOf(pool).product] : [],
  );
  return Promise.all(
    STRATEGIES.flatMap(({ pooler }) => pooler ?? []).map(({ product, find, caveat }) =>
      facilityFinding(product, neededProducts?.includes(product) === true, async () => {
        const { path, version } = await find();
        return { detail: `${version}, ${path}`, remedy: caveat(version) };
      }),
    ),
  );
}

/** Optional packages of workloads. One that the scenario needs and lacks is among the obstacles to its start. */
function examineFacilities(experiment: Experiment | undefined): Finding[] {
  const workloads = experiment
    ? distinct(experiment.treatments.map(({ settings }) => workloadOf(settings)))
    : WORKLOADS;
  return workloads
    .flatMap((workload) => workload.facilities?.(process.cwd()) ?? [])
    .map(({ name, found, remedy }) => ({
      state: found === undefined ? ("missing" as const) : ("ok" as const),
      what: name,
      detail: found ?? "not installed (optional)",
      remedy: found === undefined ? remedy : "",
    }));
}

function openFiles(experiment: Experiment | undefined): Finding {
  const { openFiles: limit, localPorts } = connectionLimits();
  const what = "open files";
  if (!experiment) {
    const clients = Math.min(limit - 100, localPorts);
    const portsText = Number.isFinite(localPorts) ? `, ${localPorts} local ports towards one server` : "";
    const detail = `limit ${limit}${portsText}: about ${clients} clients`;
    return { state: "ok", what, detail, remedy: "" };
  }
  // Shares of agents count, too, since this machine may run an agent.
  const [most] = experiment.treatments
    .flatMap(({ id, settings }) =>
      [loadOfThisProcess(settings), ...loadOfAgents(settings)].map((part) => {
        const subject = settings.agents > 0 ? `${id}, on an agent or with the coordinator,` : id;
        return { whose: subject, settings, part, files: openFilesOf(settings, part) };
      }),
    )
    .sort((a, b) => b.files - a.files);
  if (!most) return { state: "ok", what, detail: `limit ${limit}`, remedy: "" };
  const { whose: subject, settings, part, files } = most;
  const shortage = shortageOf(settings, connectionLimits(), part);
  if (shortage)
    return { state: "problem", what, detail: `${subject}: ${shortage.words}`, remedy: shortage.remedy };
  const neededText = `${subject} with ${counted(part.clients, "client")} needs about ${files}`;
  return { state: "ok", what, detail: `limit ${limit}; ${neededText}`, remedy: "" };
}

/** Findings on the clock; empty if the platform does not state it. */
function examineClock(): Finding[] {
  const source = clockSource();
  if (source === undefined) return [];
  const finding = { what: "clock", detail: `clock source ${source}` };
  if (isQuickClockSource(source)) return [{ ...finding, state: "ok", remedy: "" }];
  const remedy =
    "Each reading of this clock is slow, and a transaction takes several. See whether the kernel offers tsc: " +
    "/sys/devices/system/clocksource/clocksource0/available_clocksource";
  return [{ ...finding, state: "warning", remedy }];
}

/** Finding on the treatment whose agents have the most threads; empty if no treatment has agents. */
function examineAgentThreads(experiment: Experiment | undefined): Finding[] {
  const [most] = (experiment?.treatments ?? [])
    .filter(({ settings }) => settings.agents > 0)
    .map(({ id, settings }) => ({
      id,
      threads: Math.max(...loadOfAgents(settings).map(({ workers }) => workers)),
    }))
    .sort((a, b) => b.threads - a.threads);
  if (!most) return [];
  const { cores } = machineFacts();
  const detail = `${most.id} has up to ${counted(most.threads, "worker thread")} on an agent; ${counted(cores, "core")} here`;
  const hasTooManyThreads = most.threads > cores;
  const remedy = hasTooManyThreads
    ? "Threads beyond the number of cores wait for one another: lower `workers`, or start more agents."
    : "";
  return [{ state: hasTooManyThreads ? "warning" : "ok", what: "threads", detail, remedy }];
}

/**
 * Findings on the faults that the scenario uses or, without a scenario, on faults that need more than a server that
 * train-sim starts.
 */
async function examineFaults(experiment: Experiment | undefined): Promise<Finding> {
  const what = "faults";
  const plannedFaultKinds = experiment?.treatments.flatMap(({ settings }) =>
    settings.faults.map(({ kind }) => kind),
  );
  if (plannedFaultKinds?.length === 0)
    return { state: "ok", what, detail: "the scenario has none", remedy: "" };
  const obstacle = await faultObstacle(plannedFaultKinds ?? FAULT_KINDS);
  if (obstacle === undefined)
    return { state: "ok", what, detail: "this machine can do all of them", remedy: "" };
  const state = plannedFaultKinds ? "problem" : "missing";
  return {
    state,
    what,
    detail: obstacle,
    remedy: "Run train-sim as root on Linux, or remove this fault.",
  };
}

async function examineLeftovers(): Promise<Finding[]> {
  const orphans = await findOrphans();
  return orphans.map((orphan) => leftoverFinding(orphanWords(orphan), orphanCommand(orphan)));
}

function leftoverFinding(detail: string, command: string): Finding {
  return { state: "warning", what: "left behind", detail, remedy: `Remove it with: ${command}` };
}

async function examineOwnServers(experiment: Experiment | undefined): Promise<Finding[]> {
  const servers = await ownServersOf(experiment?.treatments ?? []);
  return (await Promise.all(servers.map(examineOwnServer))).flat();
}

async function examineOwnServer(server: OwnServer): Promise<Finding[]> {
  const what = "server";
  const facts = await factsOf(server);
  const obstacles = await obstaclesOn(server);
  const leftovers = await leftoverSchemas(server);
  const serverFindings = [
    ...facts.map(({ state, words, ...fact }): Finding => {
      return { ...fact, state: state === "optional" ? "missing" : state, detail: words };
    }),
    ...obstacles.map(({ kind, isOptional, words, remedy }): Finding => {
      const state = kind !== "evidence" ? "problem" : isOptional ? "missing" : "warning";
      return { state, what, detail: words, remedy };
    }),
    ...leftovers.map(({ words, command }) => leftoverFinding(words, command)),
  ];
  if (serverFindings.some(({ state }) => state === "problem")) return serverFindings;
  const { target, treatments } = server;
  const detail = `${describeEndpoint(target.admin)}: every URL reaches it, and the role may create and grant`;
  const isCheckpointRequested = treatments.some(
    ({ settings: { target: given, dialect } }) =>
      given.checkpoint !== false && capabilitiesOf(dialect).unsupportedFaults["checkpoint"] === undefined,
  );
  const checkpointText = isCheckpointRequested
    ? ", and each trial requests a checkpoint (target.checkpoint: false leaves it out)"
    : "";
  const remedy = `Do not run this on a production server: the load uses all that it gives${checkpointText}.`;
  return [...serverFindings, { state: "ok", what, detail, remedy }];
}

function missingFinding(what: string, error: unknown, state: "missing" | "problem"): Finding {
  return { state, what, detail: messageOf(error), remedy: error instanceof TrainSimError ? error.hint : "" };
}

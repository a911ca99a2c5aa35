// `train-sim run`: results go to standard output, the rest to standard error. The first signal stops, the second at once.
import { InvalidArgumentError, type Command } from "commander";
import type { AgentOptions } from "../engine/agents/agent-hub.js";
import { readToken } from "../engine/agents/token.js";
import { ExitCode, TrainSimError, UsageError } from "../foundation/errors.js";
import { generateSecret } from "../foundation/prng.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { counted, formatDuration } from "../foundation/units.js";
import { addressOf } from "../database/endpoint.js";
import { parseCapacityThreshold, probeText } from "../engine/capacity/capacity-probe.js";
import { plannedTrials } from "../engine/session/planned-trials.js";
import { runSession, type ExperimentOutcome } from "../engine/session/session.js";
import { capacityProbes } from "../engine/capacity/find-capacity.js";
import { Interruption } from "../engine/session/interruption.js";
import { schemaDropCommands, resumeCommand } from "../engine/session/left-behind.js";
import { searchedTreatments } from "../engine/capacity/searched-treatments.js";
import {
  readInterrupted,
  readInterruptedScenario,
  type ResumedExperiment,
} from "../engine/session/resume.js";
import type { LiveEnd } from "../live/page/live-data.js";
import { suitesOfRun } from "../report/junit/run-suites.js";
import { renderRunMarkdown } from "../report/markdown/run-markdown.js";
import { renderScreen } from "../report/terminal/screen.js";
import { renderSummary } from "../report/terminal/summary.js";
import { readResult } from "../results/reader.js";
import { loadScenario } from "../scenario/loader.js";
import type { Threshold } from "../scenario/judgement.js";
import type { Overrides } from "../scenario/plan/overrides.js";
import type { Experiment } from "../scenario/settings.js";
import { readPem } from "./agent.js";
import { supportsColour } from "./colour.js";
import { DASHBOARD_PORT } from "../live/dashboard.js";
import { PROMETHEUS_PORT } from "../live/prometheus.js";
import { startWatchers, type WatchOptions } from "../live/watch.js";
import { sweepOrphans } from "../foundation/process/orphans.js";
import { endNow } from "./end-of-process.js";
import { writeOutcome } from "./outcome-files.js";
import {
  address,
  agents,
  port,
  WAIT_DEFAULT_MS,
  waitOption,
  wholeNumber,
  type Address,
} from "./option-values.js";
import { packageVersion } from "./package-info.js";
import { planAs } from "./plan.js";
import { RepeatedSignal } from "./repeated-signal.js";
import { loadOrPrintProblems } from "./validate.js";
import { addReportOptions, writeReports, type ReportFileOptions } from "./written-reports.js";

const AGENT_COMMAND = "npx train-sim";
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

interface RunOptions extends ReportFileOptions {
  readonly set: string[];
  /** Another file of the user, with which the scenario's own workload is compared. */
  readonly against?: string;
  readonly trials?: number;
  readonly duration?: string;
  readonly seed?: number;
  /** Number of agents, or the hosts on which to start them. */
  readonly agents?: number | readonly string[];
  readonly agentCommand: string;
  readonly tokenFile?: string;
  readonly agentsWait: number;
  readonly listen?: Address;
  readonly cert?: string;
  readonly key?: string;
  readonly out: string;
  readonly resume?: string;
  readonly findCapacity?: string;
  readonly plan?: true;
  /** Earlier result directory from which the plan takes how much trials vary. */
  readonly spreadFrom?: string;
  readonly json?: true;
  readonly verbose?: true;
  readonly quiet?: true;
  /** Port of the dashboard; true if the option names no port. */
  readonly dashboard?: number | true;
  readonly prometheus?: number | true;
}

function requireDirectoryName(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Name a directory.");
}

export function register(program: Command): void {
  const command = program
    .command("run")
    .description(
      "Run a scenario's experiment and report it. It loads the server fully: never name a production server",
    )
    .argument(
      "[scenario]",
      "scenario file (YAML), your own SQL file (.sql), or the name of a bundled scenario, such as quickstart; optional with --resume",
    )
    .option(
      "--set <path=value>",
      "override one scenario path; may be repeated",
      (value, all: string[]) => [...all, value],
      [],
    )
    .option("--against <file>", "compare your own SQL file with this one, in interleaved trials")
    .option("--trials <n>", "trials of each treatment", wholeNumber)
    .option("--duration <duration>", "length of the measurement window, such as 30s")
    .option("--seed <n>", "seed of everything random in the experiment", wholeNumber)
    .option("--out <dir>", "directory for the result directory", requireDirectoryName, "results")
    .option("--resume <dir>", "continue the interrupted experiment of that result directory")
    .option(
      "--find-capacity <threshold>",
      "search the highest arrival rate that holds a threshold, such as 'add: p(99)<50'",
    )
    .option(
      "--agents <n>",
      "number of agents (train-sim agent, here or on other machines) that run the clients; " +
        "ssh:host1,host2 starts one on each host",
      agents,
    )
    .option("--agent-command <command>", "command that runs train-sim on these hosts", AGENT_COMMAND)
    .option(
      "--token-file <file>",
      "file with the secret of the agents; train-sim makes one if ssh starts them",
    )
    .addOption(waitOption("--agents-wait <duration>", "how long to wait for agents"))
    .option("--listen <host:port>", 'address at which agents join (default: "127.0.0.1:5670")', address)
    .option("--cert <file>", "certificate (PEM) for that address; needed unless agents join on loopback")
    .option("--key <file>", "its private key (PEM)")
    .option("--plan", "print treatments, trials and the length of their load; touch no database")
    .option(
      "--spread-from <dir>",
      "with --plan: print the differences that the trials can find, if they vary as in that result",
    )
    .option(
      "--json",
      "print the result document (with --plan: the plan) on standard output, and nothing else there",
    )
    .option("--verbose", "print all of summary.txt, not only its first screen")
    .option("--quiet", "no progress")
    .option("--dashboard [port]", `live page on loopback (default port: ${DASHBOARD_PORT}; 0: any)`, port)
    .option(
      "--prometheus [port]",
      `metrics for Prometheus on loopback (default port: ${PROMETHEUS_PORT}; 0: any)`,
      port,
    );
  addReportOptions(command).action(run);
}

async function run(scenario: string | undefined, options: RunOptions): Promise<void> {
  const { set, against, trials, duration, seed, resume } = options;
  const overrides: Overrides = {
    set,
    environment: process.env,
    ...(against !== undefined && { against }),
    ...(trials !== undefined && { trials }),
    ...(duration !== undefined && { duration }),
    ...(seed !== undefined && { seed }),
    ...(typeof options.agents === "number" && { agents: options.agents }),
    ...(typeof options.agents === "object" && { agentHosts: options.agents.length }),
  };
  const agentOptions = await agentOptionsOf(options);
  if (resume !== undefined && options.findCapacity !== undefined)
    throw new UsageError("--find-capacity cannot resume", "Leave out one of --resume and --find-capacity.");
  if (options.spreadFrom !== undefined && !options.plan)
    throw new UsageError("--spread-from belongs to --plan", "Add --plan, or leave it out.");
  const isPlanPrintedAsJson = options.plan === true && options.json === true;
  const experiment = await loadOrPrintProblems(isPlanPrintedAsJson, () =>
    load(scenario, resume, overrides, options),
  );
  if (options.plan) {
    const earlier = options.spreadFrom === undefined ? undefined : await readResult(options.spreadFrom);
    const isCapacitySearch = options.findCapacity !== undefined;
    const form = options.json ? "json" : "text";
    process.stdout.write(planAs(form, experiment, isCapacitySearch, earlier));
    return;
  }
  const resumedExperiment = resume === undefined ? undefined : await readInterrupted(resume, experiment);
  const outcome = await runWithSignals(experiment, options, agentOptions, resumedExperiment);
  process.stdout.write(
    options.json ? `${JSON.stringify(outcome.result, null, 2)}\n` : summaryOf(outcome, options),
  );
  process.exitCode = outcome.exitCode;
  await writeReports(options, {
    name: experiment.name,
    suites: () => suitesOfRun(outcome.result),
    markdown: () => renderRunMarkdown(outcome.result),
  });
  const { exitCode, directory, failure, filesOutcome } = outcome;
  const { problem } = filesOutcome;
  if (problem && (failure || exitCode !== ExitCode.done))
    printLine(`train-sim: ${problem.message}\n  ${problem.hint}`);
  const canExperimentContinue = exitCode === ExitCode.interrupted || exitCode === ExitCode.targetUnreachable;
  const isRunResumable = canExperimentContinue && options.findCapacity === undefined;
  const continueHint = isRunResumable
    ? `\n  Continue with: ${resumeCommand(experiment, directory, scenario, overrides, agentOptionWords(options))}`
    : "";
  if (failure) {
    const hint = `${failure.hint ? `${failure.hint}\n  ` : ""}Partial results are in ${directory}.${continueHint}`;
    throw new TrainSimError(failure.message, exitCode, hint, { cause: failure });
  }
  if (exitCode === ExitCode.interrupted)
    printLine(`train-sim: stopped; partial results are in ${directory}${continueHint}`);
  if (problem && exitCode === ExitCode.done)
    throw new TrainSimError(
      problem.message,
      problem.exitCode,
      `${problem.hint}\n  result.json is in ${directory}. \`train-sim report\` writes the report from it.`,
      { cause: problem },
    );
}

/** Settings of agents from the options; undefined if no token is given and ssh starts no agent. */
async function agentOptionsOf(options: RunOptions): Promise<AgentOptions | undefined> {
  const { agents: hosts, agentCommand: command, tokenFile, listen, agentsWait: waitMs, cert, key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError("--cert and --key belong together", "Give both, or neither.");
  if (typeof hosts === "object") {
    if (listen ?? cert)
      throw new UsageError(
        "agents that ssh starts join through its own connection",
        "Leave out --listen, --cert and --key.",
      );
    const token = tokenFile === undefined ? generateSecret(32) : await readToken(tokenFile);
    return { host: "127.0.0.1", port: 0, token, waitMs, ssh: { hosts, command } };
  }
  if (tokenFile === undefined) return undefined;
  return {
    ...(listen ?? { host: "127.0.0.1", port: 5670 }),
    token: await readToken(tokenFile),
    waitMs,
    ...(cert !== undefined &&
      key !== undefined && { tls: { cert: readPem("--cert", cert), key: readPem("--key", key) } }),
  };
}

/** Options about agents, as words of the command line that continues the run. */
function agentOptionWords({
  agents: hosts,
  agentCommand: command,
  agentsWait,
  tokenFile,
  listen,
  cert,
  key,
}: RunOptions): string[] {
  return [
    ...(typeof hosts === "object" ? ["--agents", `ssh:${hosts.join(",")}`] : []),
    ...(typeof hosts === "object" && command !== AGENT_COMMAND ? ["--agent-command", command] : []),
    ...(tokenFile === undefined ? [] : ["--token-file", tokenFile]),
    ...(listen === undefined ? [] : ["--listen", addressOf(listen)]),
    ...(cert === undefined ? [] : ["--cert", cert]),
    ...(key === undefined ? [] : ["--key", key]),
    ...(agentsWait === WAIT_DEFAULT_MS ? [] : ["--agents-wait", formatDuration(agentsWait)]),
  ];
}

function printLine(words: string): void {
  process.stderr.write(`${escapeControlCharacters(words)}\n`);
}

function summaryOf({ result, directory, filesOutcome }: OutcomeWithFiles, { verbose }: RunOptions): string {
  const options = { directory, colour: supportsColour(), hasReport: filesOutcome.hasReport };
  return verbose ? renderSummary(result, options) : renderScreen(result, options);
}

/**
 * Loads the named scenario, or on resume the scenario of the directory if none is named. If the scenario states no seed,
 * a resumed run keeps its seed.
 */
async function load(
  scenario: string | undefined,
  resume: string | undefined,
  overrides: Overrides,
  options: RunOptions,
): Promise<Experiment> {
  const experiment = await loadNamedOrInterrupted(scenario, resume, overrides);
  const threshold = capacityThresholdOf(experiment, options);
  if (threshold && experiment.trials.some(({ duet }) => duet))
    throw new UsageError(
      "--find-capacity searches one treatment after the other, and this scenario is a duet",
      "Give it another order: --set order=interleaved.",
    );
  if (threshold && experiment.stopping)
    throw new UsageError(
      "--find-capacity confirms each rate with a fixed number of trials, and this scenario has none",
      "Give trials a number, such as --trials 5, and leave budget out.",
    );
  if (threshold) searchedTreatments(experiment.treatments, threshold);
  return experiment;
}

function capacityThresholdOf(
  { treatments }: Experiment,
  { findCapacity: text }: Pick<RunOptions, "findCapacity">,
): Threshold | undefined {
  return text === undefined ? undefined : parseCapacityThreshold(text, treatments);
}

function loadNamedOrInterrupted(
  scenario: string | undefined,
  resume: string | undefined,
  overrides: Overrides,
): Promise<Experiment> {
  if (resume !== undefined)
    return readInterruptedScenario(resume, scenario, { ...overrides, loadsCode: true });
  if (scenario !== undefined) return loadScenario(scenario, overrides);
  throw new UsageError(
    "no scenario is named",
    "Start with a bundled scenario (90 s on a PostgreSQL that it starts): npx train-sim run quickstart\n" +
      "  Or name a scenario file, or a result directory with --resume.",
  );
}

type OutcomeWithFiles = ExperimentOutcome & {
  readonly filesOutcome: Awaited<ReturnType<typeof writeOutcome>>;
};

export async function runWithSignals(
  experiment: Experiment,
  options: Pick<RunOptions, "out" | "quiet" | "dashboard" | "prometheus" | "findCapacity">,
  agents?: AgentOptions,
  resumed?: ResumedExperiment,
): Promise<OutcomeWithFiles> {
  const interruption = new Interruption();
  const programVersion = packageVersion();
  const watchers = await startWatchers(
    {
      experiment,
      programVersion,
      stream: process.stderr,
      environment: process.env,
      // The number of trials of a search for capacity is not known.
      isSearch: options.findCapacity !== undefined,
      earlier: resumed?.trials ?? [],
    },
    {
      ...(options.quiet && { quiet: options.quiet }),
      ...watchPortOption("dashboard", options.dashboard, DASHBOARD_PORT),
      ...watchPortOption("prometheus", options.prometheus, PROMETHEUS_PORT),
    },
  );
  const { observer } = watchers;
  for (const words of [...(experiment.ignoredVariables ?? []), ...(await sweepOrphans())])
    observer.note(`warning: ${words}`);
  if (resumed) {
    const done = resumed.trials.length;
    observer.note(
      `${done} of ${counted(experiment.trials.length, "trial")} complete in ${resumed.directory}`,
    );
  }
  // Counts the user's requests to stop; an earlier stop by a threshold does not count.
  const stopSignals = new RepeatedSignal();
  const onSignal = (signal: NodeJS.Signals): void => {
    const signalKind = stopSignals.receive();
    if (signalKind === "another") {
      for (const command of schemaDropCommands(experiment))
        printLine(`train-sim: a schema may be left on the server. Remove it with: ${command}`);
      endNow(ExitCode.interrupted);
    }
    if (signalKind !== "first") return;
    interruption.request(signal);
    observer.note(`${signal}: transactions in progress finish; a second signal stops the run immediately`);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  let end: LiveEnd = { words: "The run has ended without a result.", isGood: false };
  try {
    const capacityThreshold = capacityThresholdOf(experiment, options);
    const source = capacityThreshold
      ? capacityProbes(experiment, capacityThreshold, (probe) => observer.note(probeText(probe)))
      : plannedTrials(experiment, observer, resumed);
    const outcome = await runSession(source, {
      out: options.out,
      programVersion,
      observer,
      interruption,
      ...(agents && { agents }),
      ...(resumed && { resumed }),
    });
    const filesOutcome = await writeOutcome(outcome, { programVersion, observer });
    const { exitCode, directory } = outcome;
    const words = `The run has ended with exit code ${exitCode}. Its results are in ${directory}.`;
    end = { words, isGood: exitCode === ExitCode.done };
    return { ...outcome, filesOutcome };
  } finally {
    await watchers.close(end);
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  }
}

function watchPortOption(
  name: "dashboard" | "prometheus",
  optionValue: number | true | undefined,
  defaultPort: number,
): WatchOptions {
  return optionValue === undefined ? {} : { [name]: optionValue === true ? defaultPort : optionValue };
}

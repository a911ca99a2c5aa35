// Observers of a run that its flags ask for. Ports are taken before anything else begins, so that a port in use costs
// nothing; no observer keeps the program running.
import { monotonicMs } from "../foundation/clock.js";
import { UsageError } from "../foundation/errors.js";
import { combineObservers, type ExperimentObserver } from "../engine/session/observer.js";
import type { LiveEnd } from "./page/live-data.js";
import type { Experiment } from "../scenario/settings.js";
import { startDashboard, type LiveServer } from "./dashboard.js";
import { LiveState, type LiveInputs } from "./live-state.js";
import { serveLoopback } from "./loopback-server.js";
import { openProgress, type ProgressStream } from "./progress.js";
import { PrometheusMetrics } from "./prometheus.js";

const RUN_NOT_BEGUN: LiveEnd = { words: "The run did not begin.", isGood: false };

export interface WatchOptions {
  readonly quiet?: true;
  /** Port of the live page, and of Prometheus' metrics below; 0 takes any free port. */
  readonly dashboard?: number;
  readonly prometheus?: number;
}

export interface Watchers {
  readonly observer: ExperimentObserver;
  close(end: LiveEnd): Promise<void>;
}

export type WatchInputs = Pick<LiveInputs, "programVersion" | "isSearch" | "earlier"> & {
  readonly experiment: Experiment;
  readonly stream: ProgressStream;
  readonly environment: NodeJS.ProcessEnv;
};

export async function startWatchers(inputs: WatchInputs, options: WatchOptions): Promise<Watchers> {
  const { stream, environment } = inputs;
  const { dashboard, prometheus } = options;
  if (dashboard !== undefined && dashboard !== 0 && dashboard === prometheus) {
    const hint = `Name another one, such as --prometheus ${dashboard + 1}.`;
    throw new UsageError(`--dashboard and --prometheus both ask for port ${dashboard}`, hint);
  }
  const state = new LiveState({ ...inputs, nowMs: monotonicMs });
  const observers: ExperimentObserver[] = [state];
  const servers: LiveServer[] = [];
  try {
    if (dashboard !== undefined) {
      const server = await startDashboard(dashboard, state);
      servers.push(server);
      stream.write(`live page: ${server.url}\n`);
    }
    if (prometheus !== undefined) {
      const metrics = metricsOf(inputs);
      observers.push(metrics);
      const server = await startMetricsServer(prometheus, metrics);
      servers.push(server);
      stream.write(`metrics for Prometheus: ${server.url}metrics\n`);
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.close(RUN_NOT_BEGUN)));
    throw error;
  }
  const progress = options.quiet ? undefined : openProgress(state, stream, environment);
  if (progress) observers.push(progress);
  return {
    observer: combineObservers(observers),
    close: async (end) => {
      progress?.close();
      await Promise.all(servers.map((server) => server.close(end)));
    },
  };
}

function metricsOf({ experiment, programVersion, isSearch }: WatchInputs): PrometheusMetrics {
  const trials = isSearch ? undefined : experiment.trials.length;
  return new PrometheusMetrics({ scenario: experiment.name, programVersion, trials });
}

async function startMetricsServer(port: number, metrics: PrometheusMetrics): Promise<LiveServer> {
  const server = await serveLoopback(
    port,
    "--prometheus",
    new Map([
      [
        "/metrics",
        async (response) => {
          const text = await metrics.text();
          response.writeHead(200, { "Content-Type": metrics.contentType });
          response.end(text);
        },
      ],
    ]),
  );
  return { url: server.url, close: () => server.close() };
}

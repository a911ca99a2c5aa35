// Asks a group of views in one statement, with rows as JSON. Missing views are found once, by trying each alone.
import { codeOf, messageOf } from "../../../foundation/errors.js";
import { monotonicMs } from "../../../foundation/clock.js";
import type { EvidenceReading } from "../../evidence.js";
import type { SqlClient } from "../admin.js";
import { LOCK_NOT_AVAILABLE_SQLSTATE } from "../lock-timeout.js";
import { numbersIn, SAMPLER_MARK, type ViewContext, type View, type ViewGroup } from "./view.js";

const QUERY_CANCELED = "57014";
/** SQLSTATEs of failures that pass: the next attempt may succeed. */
const TRANSIENT_SQLSTATES = new Set([LOCK_NOT_AVAILABLE_SQLSTATE, QUERY_CANCELED]);

/** Milliseconds of a pause from which it is notable: samples are taken once a second, so it may cost a group a sample. */
const NOTABLE_PAUSE_MS = 1_000;

/** Called for a source that cannot be read, or only in part. */
export type OnSkipped = (source: string, reason: string, isPartial?: true) => void;

interface ViewQuery {
  readonly view: View;
  readonly text: string;
}

function existsInVersion(
  { fromVersion = 0, untilVersion = Number.POSITIVE_INFINITY }: View,
  version: number,
): boolean {
  return version >= fromVersion && version <= untilVersion;
}

export function viewQueriesFor(
  views: readonly View[],
  survey: ViewContext,
  onSkipped: OnSkipped,
): ViewQuery[] {
  const asked: ViewQuery[] = [];
  const coveredMetrics = new Set<string>();
  const missing: { view: View; reason: string }[] = [];
  for (const view of views) {
    if (view.metricNames.every((metric) => coveredMetrics.has(metric))) continue;
    const text = view.text(survey);
    if (text === undefined) continue;
    if (!existsInVersion(view, survey.version)) {
      missing.push({ view, reason: `not in version ${survey.version} of the server` });
    } else if (view.extension !== undefined && !survey.extensions.has(view.extension)) {
      missing.push({ view, reason: `the extension ${view.extension} is not in the database` });
    } else {
      asked.push({ view, text });
      for (const metric of view.metricNames) coveredMetrics.add(metric);
    }
  }
  for (const { view, reason } of missing)
    if (!view.metricNames.every((metric) => coveredMetrics.has(metric))) onSkipped(view.source, reason);
  return asked;
}

export class GroupReader {
  private queries: readonly ViewQuery[];
  private nextReadMs = Number.NEGATIVE_INFINITY;
  private isTried = false;
  /** Server processes that the last answer reported as foreign; see `postgres-foreign.ts`. */
  foreignPids: readonly number[] = [];

  constructor(
    private readonly group: ViewGroup,
    survey: ViewContext,
    private readonly preamble: string,
    private readonly onSkipped: OnSkipped,
  ) {
    this.queries = viewQueriesFor(group.views, survey, onSkipped);
  }

  /**
   * Reads the group's values; resolves to an empty reading before the group's turn. Rejects if the server refuses the
   * statement as a whole.
   */
  async read(client: SqlClient): Promise<EvidenceReading> {
    if (this.queries.length === 0 || monotonicMs() < this.nextReadMs) return {};
    if (!this.isTried) {
      const answer = await this.tryEachView(client);
      if (answer) return answer;
    }
    try {
      return await this.ask(client, this.queries);
    } catch (error) {
      // A right may have been revoked or an extension dropped: the next read tries each view alone.
      if (!TRANSIENT_SQLSTATES.has(codeOf(error) ?? "")) this.isTried = false;
      throw error;
    }
  }

  /**
   * Tries each view alone and leaves out those that fail. A group of a single view has its answer then: that may be
   * expensive, so it is not asked twice.
   */
  private async tryEachView(client: SqlClient): Promise<EvidenceReading | undefined> {
    const working: ViewQuery[] = [];
    const isSingleQuery = this.queries.length === 1;
    let answer: EvidenceReading | undefined;
    for (const each of this.queries) {
      try {
        if (isSingleQuery) answer = await this.ask(client, [each]);
        else await client.query(this.textOf([each]));
        working.push(each);
      } catch (error) {
        const code = codeOf(error);
        if (code === undefined) throw error; // the connection
        if (TRANSIENT_SQLSTATES.has(code)) working.push(each);
        else this.onSkipped(each.view.source, messageOf(error));
      }
    }
    this.queries = working;
    this.isTried = true;
    return answer;
  }

  private textOf(queries: readonly ViewQuery[]): string {
    const columns = queries.map(({ text }, i) => `(SELECT to_json(v${i}) FROM (${text}) AS v${i}) AS v${i}`);
    // The clock is the last column, so that it is read after all others.
    const elapsedMsSql = `extract(epoch FROM clock_timestamp() - statement_timestamp())::float8 * 1000 AS "tookMs"`;
    return `${this.preamble} SELECT ${SAMPLER_MARK} ${[...columns, elapsedMsSql].join(", ")}`;
  }

  private async ask(client: SqlClient, queries: readonly ViewQuery[]): Promise<EvidenceReading> {
    const startMs = monotonicMs();
    const [row] = await client.query(this.textOf(queries)).catch((error: unknown) => {
      // Time in which the statement waited for a lock was no work of the server.
      if (codeOf(error) !== LOCK_NOT_AVAILABLE_SQLSTATE) this.reschedule(monotonicMs() - startMs);
      throw error;
    });
    this.reschedule(Number(row?.tookMs));
    return Object.assign(
      {},
      ...queries.map(({ view }, i) => this.metricsOf(view, row?.[`v${i}`])),
    ) as EvidenceReading;
  }

  private reschedule(tookMs: number): void {
    const { name, mostShare } = this.group;
    if (mostShare === undefined) return;
    const pauseMs = tookMs / mostShare - tookMs;
    this.nextReadMs = monotonicMs() + pauseMs;
    if (pauseMs > NOTABLE_PAUSE_MS)
      this.onSkipped(
        name,
        `not read every second, so that it takes at most ${mostShare * 100} % of the time`,
        true,
      );
  }

  private metricsOf(view: View, json: unknown): EvidenceReading {
    if (typeof json !== "string") return {};
    const row = JSON.parse(json) as Record<string, unknown>;
    for (const [metric, reason] of Object.entries(view.ifNull ?? {}))
      if (row[metric] === null) this.onSkipped(view.source, reason);
    if (Array.isArray(row["pids"])) this.foreignPids = row["pids"].map(Number);
    return view.decode?.(row) ?? numbersIn(row);
  }
}

// Reads the views of a dialect, one round trip a group, with a time limit on both sides.
import { withinMs } from "../../../foundation/deadline.js";
import { messageOf, TargetError } from "../../../foundation/errors.js";
import type {
  EvidenceOptions,
  EvidenceReader,
  EvidenceReading,
  NamedStatement,
  ScanCount,
  SkippedSource,
  TableChange,
  WindowDifferences,
} from "../../evidence.js";
import { connectAdmin, type AdminClient } from "../admin.js";
import type { Dialect } from "../dialects/dialect.js";
import { ReopenableSession } from "../../standing-session.js";
import { GroupReader, type OnSkipped } from "./reader.js";
import {
  namedStatements,
  readHistory,
  readStatements,
  addedStatementCounts,
  statementTexts,
  type StatementReading,
} from "./statement-statistics.js";
import type { ViewContext, ViewGroup } from "./view.js";
import type { Statement } from "../../sql.js";

const RESTARTED_COUNTERS_REASON =
  "its statistics were reset in the window, or it discarded entries because it was full (pg_stat_statements.max)";
const DISCARDED_ENTRIES_REASON =
  "it discarded entries in the window because it was full (pg_stat_statements.max): rare statements may be missing or counted too low";

/** Milliseconds that a round trip may take; the time limit on the server is shorter. */
const ANSWER_TIMEOUT_MS = 2_000;

interface TablePartDefinition {
  readonly part: string;
  readonly table: string;
  readonly definition: string;
}

/** Changes of tables that exist both before and after: a workload may make and drop partitions. */
function tableChangesBetween(
  before: readonly TablePartDefinition[],
  after: readonly TablePartDefinition[],
): TableChange[] {
  const tablesOf = (all: readonly TablePartDefinition[]): Set<string> =>
    new Set(all.map(({ table }) => table));
  const [early, late] = [tablesOf(before), tablesOf(after)];
  const partsOfLastingTables = (all: readonly TablePartDefinition[]): Map<string, TablePartDefinition> =>
    new Map(
      all
        .filter(({ table }) => early.has(table) && late.has(table))
        .map((each) => [`${each.table}\n${each.part}`, each]),
    );
  const [old, now] = [partsOfLastingTables(before), partsOfLastingTables(after)];
  return [...new Map([...old, ...now])].flatMap(([key, { part, table }]): TableChange[] => {
    const [was, is] = [old.get(key)?.definition ?? null, now.get(key)?.definition ?? null];
    return was === is ? [] : [{ part, table, before: was, after: is }];
  });
}

interface ScanReading {
  readonly counts: readonly ScanCount[];
  readonly since: string | undefined;
}

export type SamplerOptions = Omit<EvidenceOptions<ViewGroup>, "dialect"> & { readonly dialect: Dialect };

interface SamplerConnection {
  readonly client: AdminClient;
  readonly survey: ViewContext;
  readonly readers: readonly {
    readonly name: string;
    readonly isVital: boolean;
    readonly reader: GroupReader;
  }[];
  close(): Promise<void>;
}

export class DatabaseSampler implements EvidenceReader {
  private readonly session = new ReopenableSession(() => this.connect());
  private readonly reasons = new Map<string, SkippedSource>();
  private readonly failures = new Map<string, { samples: number; reason: string }>();
  private statementsBefore: StatementReading | undefined;
  private scansBefore: ScanReading | undefined;
  private tablesBefore: readonly TablePartDefinition[] | undefined;
  private foreignSessionPids: readonly number[] = [];

  constructor(private readonly options: SamplerOptions) {}

  get skipped(): SkippedSource[] {
    const failed = [...this.failures].map(([source, { samples, reason }]): SkippedSource => ({
      source,
      reason: `not read in ${samples} sample${samples === 1 ? "" : "s"}: ${reason}`,
      isPartial: true,
    }));
    return [...this.reasons.values(), ...failed];
  }

  get foreignPids(): readonly number[] {
    return this.foreignSessionPids;
  }

  async open(): Promise<void> {
    await this.sample();
    this.failures.clear();
  }

  /** Reads one sample of all groups. Rejects if the server does not answer; a failed group that is not vital is left out. */
  async sample(): Promise<EvidenceReading> {
    const { client, readers } = await this.session.get();
    const metrics: Record<string, number> = {};
    for (const { name, isVital, reader } of readers) {
      try {
        Object.assign(metrics, await withinMs(reader.read(client), ANSWER_TIMEOUT_MS));
      } catch (error) {
        if (isVital || isConnectionLoss(error)) throw this.discardSession(error);
        this.failures.set(name, {
          samples: (this.failures.get(name)?.samples ?? 0) + 1,
          reason: messageOf(error),
        });
      }
    }
    this.foreignSessionPids = readers.flatMap(({ reader }) => reader.foreignPids);
    return metrics;
  }

  async openWindow(): Promise<void> {
    await this.readStatementsBefore();
    this.scansBefore = await this.readScans();
    this.tablesBefore = await this.readTables();
  }

  async closeWindow(statements: readonly Statement[]): Promise<WindowDifferences> {
    return {
      statements: await this.readWindowStatements(statements),
      scans: await this.readWindowScans(),
      tableChanges: await this.readWindowTableChanges(),
    };
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private async readStatementsBefore(): Promise<void> {
    const source = this.options.dialect.sampler.statements;
    if (!source) return;
    // A reset between these two reads counts as a reset within the window; the same holds at the end of the window.
    await this.readOrSkip(source.name, async ({ client, survey }) => {
      const history = await readHistory(client, survey, source);
      this.statementsBefore = { counts: await readStatements(client, survey, source), history };
    });
  }

  private async readWindowStatements(
    statements: readonly Statement[],
  ): Promise<NamedStatement[] | undefined> {
    const before = this.statementsBefore;
    const source = this.options.dialect.sampler.statements;
    if (!before || !source) return undefined;
    return this.readOrSkip(source.name, async ({ client, survey }) => {
      const counts = await readStatements(client, survey, source);
      const after = { counts, history: await readHistory(client, survey, source) };
      const added = addedStatementCounts(before, after);
      if (!added) throw new Error(RESTARTED_COUNTERS_REASON);
      if (!added.isWhole) this.recordSkippedSource(source.name, DISCARDED_ENTRIES_REASON, true);
      const texts = await statementTexts(client, survey, source, added.counts.keys());
      const named = namedStatements(added.counts, texts, source.namer(statements, survey));
      if (named.length > 0) return named;
      throw new Error(
        "it shows no statement of the workload: the role may not see them, or the server tracks none",
      );
    });
  }

  /**
   * Scans between the start and the end of the window; undefined if they were not read, or if the server's counts were
   * reset.
   */
  private async readWindowScans(): Promise<ScanCount[] | undefined> {
    const before = this.scansBefore;
    const after = before && (await this.readScans());
    if (after?.since !== before?.since) return undefined;
    const added = after?.counts.map(({ name, kind, scans }) => {
      const earlier = before?.counts.find((each) => each.name === name && each.kind === kind);
      return { name, kind, scans: scans - (earlier?.scans ?? 0) };
    });
    return added?.filter(({ scans }) => scans > 0).sort((a, b) => b.scans - a.scans);
  }

  private async readWindowTableChanges(): Promise<TableChange[] | undefined> {
    const before = this.tablesBefore;
    const after = before && (await this.readTables());
    return after && tableChangesBetween(before, after);
  }

  private async readTables(): Promise<TablePartDefinition[] | undefined> {
    const source = this.options.dialect.sampler.tables;
    if (!source) return undefined;
    return this.readOrSkip(source.name, async ({ client, survey }) => {
      if (Object.keys(survey.tables).length === 0) return [];
      const rows = await client.query(source.definitions(survey));
      return rows.map(({ part, table, definition }) => ({
        part: String(part),
        table: String(table),
        definition: String(definition),
      }));
    });
  }

  private async readScans(): Promise<ScanReading | undefined> {
    const source = this.options.dialect.sampler.scans;
    if (!source) return undefined;
    return this.readOrSkip(source.name, async ({ client, survey }) => {
      const rows = await client.query(source.counts(survey));
      const counts = rows.map(({ name, kind, scans }): ScanCount => ({
        name: String(name),
        kind: kind === "index" ? "index" : "table",
        scans: Number(scans),
      }));
      const [first] = rows;
      return { counts, since: first && String(first["since"]) };
    });
  }

  private async readOrSkip<T>(
    source: string,
    read: (ready: SamplerConnection) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await withinMs(read(await this.session.get()), ANSWER_TIMEOUT_MS);
    } catch (error) {
      this.recordSkippedSource(source, messageOf(error));
      return undefined;
    }
  }

  private async connect(): Promise<SamplerConnection> {
    const { endpoint, dialect, workload, isOwnServer } = this.options;
    const client = await connectAdmin(endpoint, { purpose: "sampler", connectTimeoutMs: ANSWER_TIMEOUT_MS });
    try {
      const { sampler } = dialect;
      for (const statement of isOwnServer ? sampler.installationStatements : [])
        await withinMs(client.query(statement), ANSWER_TIMEOUT_MS).catch(() => undefined); // a missing view is reported when it is read
      const survey = await withinMs(sampler.survey(client, workload), ANSWER_TIMEOUT_MS);
      const onSkipped: OnSkipped = (...skipped) => this.recordSkippedSource(...skipped);
      const readers = [...sampler.groups, ...workload.groups].map((group) => ({
        name: group.name,
        isVital: group.isVital,
        reader: new GroupReader(group, survey, sampler.preamble, onSkipped),
      }));
      return { client, survey, readers, close: () => client.close() };
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** Closes the connection after an error, so that the next sample opens another; returns the error. */
  private discardSession(error: unknown): unknown {
    void this.session.giveUp();
    return error;
  }

  private recordSkippedSource(...[source, reason, isPartial]: Parameters<OnSkipped>): void {
    this.reasons.set(`${source}: ${reason}`, { source, reason, ...(isPartial && { isPartial }) });
  }
}

function isConnectionLoss(error: unknown): boolean {
  return error instanceof TargetError || !(error instanceof Error && "code" in error);
}

// A trial's tables and ledgers without worker threads, for tests of the audit: batches that were acknowledged, that
// failed, that were in doubt and came through or not, a preload, passes and archivings, all by the workload's own
// statements and the program's own ledger files. Seeded, so that a failing test fails again.
import { join } from "node:path";
import { audit, type Audited } from "../audit/audit.js";
import type { AdminClient } from "../database/admin.js";
import { PgConnection } from "../database/connection.js";
import { createWorkload } from "../database/create-workload.js";
import { resetNamespace } from "../database/namespace.js";
import { preload, preloadSource } from "../database/preload.js";
import { Prng } from "../foundation/prng.js";
import { DocumentGenerator } from "../model/document-generator.js";
import type { IdKind } from "../model/event-id.js";
import type { PreparedEvent } from "../model/event.js";
import { KeySum } from "../model/key-sum.js";
import { EMPTY_LEDGER, KeyMaker, streamName, type BatchOutcome, type Ledger } from "../model/ledger.js";
import { LedgerFileWriter, ledgerPath } from "../results/ledger-file.js";
import { parseScenario } from "../scenario/loader.js";
import type { Payload, StatementShape, TreatmentSettings } from "../scenario/settings.js";
import { scratchDirectory } from "./train-sim.js";

const MADE_AT_MS = Date.UTC(2026, 5, 1);
const SEED = 11;
const BATCH_EVENTS = 20;
const PRELOADED = 60;

export interface AuditedTrialOptions {
  readonly namespace: string;
  readonly payload: Payload;
  readonly ids?: IdKind;
  readonly statementShape?: StatementShape;
  /** Process and archive until nothing is left. */
  readonly isDrained?: boolean;
}

export interface AuditedTrial {
  readonly settings: TreatmentSettings;
  readonly directory: string;
  /** Keys by how their batch ended; those in doubt that came through are `found`. */
  readonly keys: Readonly<Record<"failed" | "found" | "absent", readonly string[]>>;
  /** The batch that failed, as it would have been added. */
  readonly failed: readonly PreparedEvent[];
  audit(): Promise<Audited>;
}

function settingsOf({
  namespace,
  payload,
  ids = "uuidv7",
  statementShape = "set-based",
}: AuditedTrialOptions) {
  const [treatment] = parseScenario(
    `{ name: audited, seed: ${SEED}, namespace: ${namespace}, payload: ${payload}, ids: ${ids}, ` +
      `statementShape: ${statementShape}, appDelay: 0, preload: ${PRELOADED}, ` +
      `advance: { claim: 0.7, complete: 0.5, fail: 0.1 } }`,
    "audited.yaml",
  ).treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings;
}

/** Makes one; every table holds something of every sort, unless it was drained. */
export async function makeAuditedTrial(
  admin: AdminClient,
  options: AuditedTrialOptions,
): Promise<AuditedTrial> {
  const settings = settingsOf(options);
  const directory = scratchDirectory();
  await resetNamespace(admin, settings);
  const preloadFile = new LedgerFileWriter(ledgerPath(directory, 255), preloadSource(settings, SEED));
  await preload(admin, settings, SEED, (batch) => preloadFile.add(batch));
  preloadFile.close();

  const connection = new PgConnection({
    endpoint: admin.endpoint,
    applicationName: "train-sim/test",
    prepared: false,
  });
  await connection.connect();
  const workload = createWorkload(settings);
  const { ids, documentBytes } = settings;
  const source = { worker: 3, stream: "producers", ids, seed: SEED, documentBytes };
  const writer = new LedgerFileWriter(ledgerPath(directory, 3), source);
  const keyMaker = new KeyMaker(source);
  const told: Ledger = { ...EMPTY_LEDGER };
  const kept: Record<"acknowledged" | "failed" | "found" | "absent", PreparedEvent[]> = {
    ...{ acknowledged: [], failed: [], found: [], absent: [] },
  };
  const nextDocument = [0, 0];
  const add = async (batch: number, became: keyof typeof kept): Promise<void> => {
    const client = batch % 2;
    const made = { batch, events: BATCH_EVENTS, madeAtMs: MADE_AT_MS + batch };
    const firstDocument = nextDocument[client] ?? 0;
    const generator = new DocumentGenerator(SEED, streamName(source, client), documentBytes);
    const events = keyMaker.keysOf(made).map((id, i): PreparedEvent => {
      const { json, eventType, authorityId, trainId } = generator.at(firstDocument + i);
      return { id, payload: json, eventType, authorityId, trainId };
    });
    nextDocument[client] = firstDocument + BATCH_EVENTS;
    if (became === "acknowledged" || became === "found") await workload.add(connection, events);
    const outcome: BatchOutcome = became === "found" || became === "absent" ? "in-doubt" : became;
    const keys = new KeySum().addAll(events.map(({ id }) => id));
    writer.add({ ...made, client, firstDocument, keys, outcome });
    if (outcome === "acknowledged") told.published += BATCH_EVENTS;
    if (outcome === "in-doubt") told.inDoubt += BATCH_EVENTS;
    kept[became].push(...events);
  };
  const prng = new Prng(SEED);
  const process = async (limit: number): Promise<number> => {
    const outcome = await workload.process(connection, {
      limit,
      roll: () => prng.float(),
      chances: settings.advance,
    });
    told.passes += outcome.events;
    return outcome.events;
  };
  const archive = async (limit: number): Promise<number> => {
    const { archivedIds } = await workload.archive(connection, limit);
    told.archived += archivedIds.length;
    return archivedIds.length;
  };
  try {
    for (let batch = 0; batch < 4; batch++) await add(batch, "acknowledged");
    await add(70, "failed");
    await add(71, "found");
    await add(5, "absent");
    for (let pass = 0; pass < 4; pass++) await process(150);
    await archive(40);
    for (let batch = 200; batch < 204; batch++) await add(batch, "acknowledged");
    while (options.isDrained && (await process(1000)) + (await archive(1000)) > 0);
  } finally {
    writer.close();
    await connection.end();
  }
  const idsOf = (events: readonly PreparedEvent[]): string[] => events.map(({ id }) => id);
  return {
    settings,
    directory: join(directory),
    keys: { failed: idsOf(kept.failed), found: idsOf(kept.found), absent: idsOf(kept.absent) },
    failed: kept.failed,
    audit: () =>
      audit(admin, {
        ...{ settings, directory, told: [told], preloaded: PRELOADED },
        isDrained: options.isDrained ?? false,
      }),
  };
}

// It drops train-sim's namespaces on a server that stays, and stops what it started.
import { UNCLAIMED_NAMESPACE, type NamespaceClaim } from "../../database/contract.js";
import { storeOf, workloadOf } from "../../workloads/registry.js";
import { tablesMarked } from "../../workloads/tables.js";
import { databaseOf, type DialectName } from "../../database/registry.js";
import { withinMs } from "../../foundation/deadline.js";
import { messageOf, UsageError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import { lintEntry } from "../../analysis/lint/lint.js";
import type { Environment, ResultDocument, TrialResult } from "../../results/result-schema.js";
import { describeEndpoint } from "../../database/endpoint.js";
import type { Experiment, Treatment } from "../../scenario/settings.js";
import { targetKey } from "./demand.js";
import { treatmentInDialect } from "./dialect-choice.js";
import { environmentOf } from "./environment.js";
import { schemaDropCommand, type UrlTarget } from "./left-behind.js";
import type { ExperimentObserver } from "./observer.js";
import type { PoolerVersion } from "../trial/pooler.js";
import { ServerIdentities } from "../evidence/server-identities.js";
import { TargetKeeper, type OpenTarget } from "./target-keeper.js";

interface InterruptedRun {
  readonly environment: Environment;
  readonly trials: readonly { readonly result: TrialResult }[];
}

/** Time for a server that may be gone to answer. */
const ANSWER_MS = 3_000;

export type ClaimedTarget = OpenTarget & { readonly claim: NamespaceClaim };

/** A namespace on a server that remains after the run, and the command that drops the namespace. */
interface ClaimedNamespace {
  readonly dialect: DialectName;
  readonly claim: NamespaceClaim;
  readonly command: string;
}

/** Place where the treatment's statements are tried: its own server, or any server that train-sim starts. */
function tryOutPlaceOf(treatment: Treatment): string {
  const { kind } = treatment.settings.target;
  return kind === "url" ? targetKey(treatment) : kind;
}

export class ExperimentHost {
  private readonly targets: OpenTarget[] = [];
  private readonly poolers: PoolerVersion[] = [];
  private readonly leftoverNotes: string[] = [];
  /** Target keepers by server number: a duet uses two servers at once. */
  private readonly keepers = new Map<number, TargetKeeper>();
  readonly identities: ServerIdentities;
  /** Namespaces that trials may have created on the running target, unless the target is train-sim's own server. */
  private readonly namespaces = new Map<string, ClaimedNamespace>();
  private isKeepingTables = false;

  /** Checks of the statements, by the place where they are tried. */
  private readonly statementChecks = new Map<string, Promise<void>>();

  constructor(
    private readonly experiment: Pick<Experiment, "treatments" | "directory">,
    private readonly programVersion: string,
    private readonly observer: ExperimentObserver,
    private readonly earlier?: InterruptedRun,
  ) {
    this.identities = new ServerIdentities(earlier?.trials.map(({ result }) => result));
  }

  /** Provides the treatment's target on the server of that number; starts it if another target runs there. */
  async provide(treatment: Treatment, server = 1): Promise<ClaimedTarget> {
    const kept = await this.keeperOf(server).provide(treatment);
    const { target, namespace } = treatment.settings;
    const claim = target.kind === "url" ? await this.claim(namespace, target, kept) : UNCLAIMED_NAMESPACE;
    const place = tryOutPlaceOf(treatment);
    const check = this.statementChecks.get(place) ?? this.tryStatements(kept, place);
    this.statementChecks.set(place, check);
    await check;
    return { ...kept, claim };
  }

  /** Tries the statements of all treatments of a place; rejects with everything that the server refuses. */
  private async tryStatements({ admin, dialect }: OpenTarget, place: string): Promise<void> {
    const refused = new Set<string>();
    const tried = this.experiment.treatments.filter((treatment) => tryOutPlaceOf(treatment) === place);
    for (const { settings } of tried.map((treatment) => treatmentInDialect(treatment, dialect)))
      for (const words of (await workloadOf(settings).loading?.tryOut?.(
        storeOf(settings),
        admin,
        settings,
      )) ?? [])
        refused.add(words);
    if (refused.size === 0) return;
    throw new UsageError(
      [
        `${counted(refused.size, "problem")} before the first trial`,
        ...[...refused].map((words) => `  ${words}`),
      ].join("\n"),
      "Correct the workload's file.",
    );
  }

  /** Entries of the result's `diagnosis` for what remains on servers. */
  leftEntries(): ResultDocument["diagnosis"] {
    return this.leftoverNotes.map((words) => lintEntry({ rule: "schema-left", words }));
  }

  addPooler(pooler: PoolerVersion): void {
    this.poolers.push(pooler);
  }

  environment(): Environment {
    return environmentOf(this.programVersion, this.targets, this.poolers, this.earlier?.environment);
  }

  /**
   * Drops the namespaces and stops the targets. After a failure it keeps the tables, which may show the cause. Never
   * rejects.
   */
  async release(hasFailed: boolean): Promise<void> {
    this.isKeepingTables = hasFailed;
    for (const keeper of this.keepers.values()) await keeper.release();
  }

  private keeperOf(server: number): TargetKeeper {
    const existingKeeper = this.keepers.get(server);
    if (existingKeeper) return existingKeeper;
    const onStart = (started: OpenTarget): void => {
      this.targets.push(started);
      const { product, version } = started.server;
      const { host, port } = started.target.admin;
      this.observer.note(`${product} ${version} (${started.target.kind}) at ${host}:${port}`);
    };
    const { treatments, directory } = this.experiment;
    const onEnd = (ending: OpenTarget): Promise<void> => this.releaseNamespaces(ending);
    const keeper = new TargetKeeper(treatments, onStart, onEnd, directory);
    this.keepers.set(server, keeper);
    return keeper;
  }

  /** This run's claim on the namespace. A claim made for an earlier trial is confirmed. */
  private async claim(
    namespace: string,
    settings: UrlTarget,
    { target: { admin }, dialect }: OpenTarget,
  ): Promise<NamespaceClaim> {
    const before = this.namespaces.get(namespace)?.claim;
    if (before) {
      await before.confirm();
      return before;
    }
    const claim = await databaseOf(admin).namespaces.claim(admin, namespace, dialect, {
      note: (words) => this.observer.note(`warning: ${words}`),
    });
    if (claim.run === undefined)
      this.observer.note(
        `warning: ${dialect} has no advisory locks: run nothing else in schema "${namespace}" of ${describeEndpoint(admin)}`,
      );
    const command = schemaDropCommand(settings, namespace, dialect);
    this.namespaces.set(namespace, { dialect, claim, command });
    return claim;
  }

  private async releaseNamespaces(ending: OpenTarget): Promise<void> {
    for (const [namespace, claimed] of this.namespaces) {
      const leftoverReason = this.isKeepingTables
        ? "its tables are kept, to look for the cause of the failure"
        : await this.drop(namespace, claimed, ending);
      if (leftoverReason !== undefined) await this.noteLeftover(namespace, leftoverReason, claimed, ending);
      await claimed.claim.release();
    }
    this.namespaces.clear();
  }

  /** Drops the namespace; resolves to the reason if that fails, since a failure must not lose what was measured. */
  private async drop(
    namespace: string,
    { claim, dialect }: ClaimedNamespace,
    { admin }: OpenTarget,
  ): Promise<string | undefined> {
    try {
      await claim.confirm();
      await databaseOf(admin.endpoint).namespaces.drop(admin, namespace, dialect, tablesMarked);
      return undefined;
    } catch (error) {
      return `it could not be dropped (${messageOf(error)})`;
    }
  }

  /** Records the schema that remains, unless another run owns it or this run never created it. */
  private async noteLeftover(
    namespace: string,
    leftoverReason: string,
    { claim, command, dialect }: ClaimedNamespace,
    { admin }: OpenTarget,
  ): Promise<void> {
    const { namespaces } = databaseOf(admin.endpoint);
    const asked = withinMs(namespaces.state(admin, namespace, dialect), ANSWER_MS);
    const state = await asked.catch(() => undefined);
    if (state && (state.kind !== "ours" || state.run !== claim.run)) return;
    const remainsText = `${state ? "stays" : "may still be"} on ${describeEndpoint(admin.endpoint)}`;
    const words = `schema "${namespace}" ${remainsText}: ${leftoverReason}. Remove it with: ${command}`;
    this.observer.note(`warning: ${words}`);
    this.leftoverNotes.push(words);
  }
}

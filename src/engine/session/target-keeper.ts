// It never runs two servers at once, which would disturb each other; a duet has two keepers.
import { databaseOf, type DialectName } from "../../database/registry.js";
import type { AdminSession, ServerInfo } from "../../database/contract.js";
import { busiestServerConnections } from "../../scenario/connections.js";
import type { Treatment } from "../../scenario/settings.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { startTarget } from "../../targets/registry.js";
import { mostServerConnections, targetKey } from "./demand.js";
import { dialectFor } from "./dialect-choice.js";
import type { FullDisk } from "../../targets/settings.js";

export interface OpenTarget {
  readonly target: RunningTarget;
  readonly admin: AdminSession;
  readonly server: ServerInfo;
  /** The dialect to use: the scenario's, or the server's if the scenario says `auto`. */
  readonly dialect: DialectName;
}

function smallDisksOf(targetTreatments: readonly Treatment[]): FullDisk[] {
  const faults = targetTreatments.flatMap(({ settings }) => settings.faults);
  return [...new Set(faults.flatMap((fault) => ("disk" in fault ? [fault.disk] : [])))];
}

export class TargetKeeper {
  private current: (OpenTarget & { readonly key: string }) | undefined;

  constructor(
    private readonly treatments: readonly Treatment[],
    private readonly onStart: (started: OpenTarget) => void,
    private readonly onEnd: (ending: OpenTarget) => Promise<void>,
    private readonly scenarioDirectory?: string,
  ) {}

  /** Provides the treatment's target; stops another target that runs and starts this one. */
  async provide(treatment: Treatment): Promise<OpenTarget> {
    const { settings } = treatment;
    const key = targetKey(treatment);
    if (this.current?.key === key) {
      return { ...this.current, dialect: dialectFor(this.current.server, treatment) };
    }
    await this.release();
    const targetTreatments = this.treatments.filter((each) => targetKey(each) === key);
    const target = await startTarget(settings.target, {
      maxConnectionsNeeded: mostServerConnections(this.treatments, treatment),
      smallDisks: smallDisksOf(targetTreatments),
      ...(this.scenarioDirectory !== undefined && { scenarioDirectory: this.scenarioDirectory }),
    });
    const database = databaseOf(target.admin);
    let admin: AdminSession | undefined;
    try {
      admin = await database.administer(target.admin, { reopensLostSession: true });
      const server = await database.server.info(admin);
      const dialect = dialectFor(server, treatment);
      await database.namespaces.requireOwnNamespace(admin, settings.namespace, dialect);
      for (const each of targetTreatments)
        database.server.requireConnections(
          server.connections,
          busiestServerConnections(each.settings),
          each.id,
        );
      this.current = { key, target, admin, server, dialect };
    } catch (error) {
      await admin?.close();
      await target.stop();
      throw error;
    }
    this.onStart(this.current);
    return this.current;
  }

  /** Stops the running target. Never rejects. */
  async release(): Promise<void> {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    await this.onEnd(current);
    await current.admin.close();
    await current.target.stop();
  }
}

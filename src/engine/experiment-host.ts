// What trials run on, from the first to the last: the target that is kept running, the poolers that took part, and the
// environment that the result states of them. It takes train-sim's namespaces off a server that stays, and stops what
// it started; which trials run on it is not its business.
import type { AdminClient } from "../database/admin.js";
import { dialectOf } from "../database/dialects/registry.js";
import { claimNamespace, type NamespaceClaim } from "../database/namespace-claim.js";
import { dropNamespace } from "../database/namespace.js";
import { messageOf } from "../foundation/errors.js";
import type { Environment } from "../results/result-schema.js";
import type { DialectName, Treatment } from "../scenario/settings.js";
import { environmentOf } from "./environment.js";
import type { ExperimentObserver } from "./observer.js";
import { TargetKeeper, type KeptTarget } from "./target-keeper.js";

export class ExperimentHost {
  private readonly targets: KeptTarget[] = [];
  private readonly poolers = new Set<string>();
  private readonly keeper: TargetKeeper;
  /** Those that trials may have made on the target that runs, if it is not ours alone. */
  private readonly namespaces = new Map<string, { dialect: DialectName; claim: NamespaceClaim }>();
  private keepsTables = false;

  /** `earlier` is where an interrupted run of the same experiment ran. */
  constructor(
    treatments: readonly Treatment[],
    private readonly programVersion: string,
    private readonly observer: ExperimentObserver,
    private readonly earlier?: Environment,
  ) {
    const onStart = (started: KeptTarget): void => {
      this.targets.push(started);
      const { product, version } = started.server;
      const { host, port } = started.target.admin;
      observer.note(`${product} ${version} (${started.target.kind}) at ${host}:${port}`);
    };
    this.keeper = new TargetKeeper(treatments, onStart, (ending) => this.leave(ending));
  }

  /** The target of that treatment, started when the one that runs is another. */
  async provide(treatment: Treatment): Promise<KeptTarget> {
    const kept = await this.keeper.provide(treatment);
    if (kept.target.kind === "url") await this.claim(treatment.settings.namespace, kept);
    return kept;
  }

  addPooler(version: string): void {
    this.poolers.add(version);
  }

  environment(): Environment {
    return environmentOf(this.programVersion, this.targets, this.poolers, this.earlier);
  }

  /** After a failure the tables stay, for whoever looks for its cause. Never rejects. */
  async release(hasFailed: boolean): Promise<void> {
    this.keepsTables = hasFailed;
    await this.keeper.release();
  }

  private async claim(namespace: string, { target, dialect }: KeptTarget): Promise<void> {
    if (await this.namespaces.get(namespace)?.claim.isHeld()) return;
    const claim = await claimNamespace(target.admin, namespace, dialectOf(dialect));
    this.namespaces.set(namespace, { dialect, claim });
  }

  private async leave({ admin }: KeptTarget): Promise<void> {
    const claimed = [...this.namespaces];
    this.namespaces.clear();
    for (const [namespace, { dialect, claim }] of claimed) {
      if (!this.keepsTables) await this.drop(admin, namespace, dialect);
      await claim.release();
    }
  }

  /** What cannot be dropped stays, and is named: it is no reason to lose what was measured. */
  private async drop(admin: AdminClient, namespace: string, dialect: DialectName): Promise<void> {
    try {
      await dropNamespace(admin, namespace, dialectOf(dialect));
    } catch (error) {
      const words = `schema "${namespace}" stays on the server, since it could not be dropped: ${messageOf(error)}`;
      this.observer.note(`warning: ${words}. \`train-sim schema drop\` takes it away`);
    }
  }
}

// What trials run on, from the first to the last: the target that is kept running, the poolers that took part, and the
// environment that the result states of them. It takes train-sim's namespaces off a server that stays, and stops what
// it started; which trials run on it is not its business.
import { dialectOf } from "../database/dialects/registry.js";
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
  /** Those that trials may have made on the target that runs, by their dialect. */
  private readonly namespaces = new Map<string, DialectName>();
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
    this.keeper = new TargetKeeper(treatments, onStart, (ending) => this.dropNamespaces(ending));
  }

  /** The target of that treatment, started when the one that runs is another. */
  async provide(treatment: Treatment): Promise<KeptTarget> {
    const kept = await this.keeper.provide(treatment);
    this.namespaces.set(treatment.settings.namespace, kept.dialect);
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

  /** What cannot be dropped stays, and is named: it is no reason to lose what was measured. */
  private async dropNamespaces({ target, admin }: KeptTarget): Promise<void> {
    const made = [...this.namespaces];
    this.namespaces.clear();
    if (target.kind !== "url" || this.keepsTables) return;
    for (const [namespace, dialect] of made) {
      try {
        await dropNamespace(admin, namespace, dialectOf(dialect));
      } catch (error) {
        const words = `schema "${namespace}" stays on the server, since it could not be dropped: ${messageOf(error)}`;
        this.observer.note(`warning: ${words}. \`train-sim schema drop\` takes it away`);
      }
    }
  }
}

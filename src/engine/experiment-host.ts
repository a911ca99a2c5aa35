// What trials run on, from the first to the last: the target that is kept running, the poolers that took part, and the
// environment that the result states of them. It takes train-sim's namespace off a server that stays, and stops what
// it started; which trials run on it is not its business.
import { dialectOf } from "../database/dialects/registry.js";
import { dropNamespace } from "../database/namespace.js";
import type { Environment } from "../results/result-schema.js";
import type { Treatment } from "../scenario/settings.js";
import { environmentOf } from "./environment.js";
import type { ExperimentObserver } from "./observer.js";
import { TargetKeeper, type KeptTarget } from "./target-keeper.js";

export class ExperimentHost {
  private readonly targets: KeptTarget[] = [];
  private readonly poolers = new Set<string>();
  private readonly keeper: TargetKeeper;

  /** `earlier` is where an interrupted run of the same experiment ran. */
  constructor(
    private readonly treatments: readonly Treatment[],
    private readonly programVersion: string,
    observer: ExperimentObserver,
    private readonly earlier?: Environment,
  ) {
    this.keeper = new TargetKeeper(treatments, (started) => {
      this.targets.push(started);
      const { product, version } = started.server;
      const { host, port } = started.target.admin;
      observer.note(`${product} ${version} (${started.target.kind}) at ${host}:${port}`);
    });
  }

  /** The target of that treatment, started when the one that runs is another. */
  provide(treatment: Treatment): Promise<KeptTarget> {
    return this.keeper.provide(treatment);
  }

  addPooler(version: string): void {
    this.poolers.add(version);
  }

  environment(): Environment {
    return environmentOf(this.programVersion, this.targets, this.poolers, this.earlier);
  }

  /** After a failure the tables stay, for whoever looks for its cause. */
  async release(hasFailed: boolean): Promise<void> {
    const last = this.targets.at(-1);
    const settings = this.treatments[0]?.settings;
    if (last && settings && last.target.kind === "url" && !hasFailed)
      await dropNamespace(last.admin, settings.namespace, dialectOf(last.dialect));
    await this.keeper.release();
  }
}

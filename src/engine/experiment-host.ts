// What trials run on, from the first to the last: the target that is kept running, the poolers that took part, and the
// environment that the result states of them. It takes train-sim's namespaces off a server that stays, and stops what
// it started; which trials run on it is not its business.
import { dialectOf } from "../database/dialects/registry.js";
import { claimNamespace, type NamespaceClaim } from "../database/namespace-claim.js";
import { dropNamespace } from "../database/namespace.js";
import { messageOf } from "../foundation/errors.js";
import { lintEntry } from "../report/lint.js";
import type { Environment, ResultDocument, TrialResult } from "../results/result-schema.js";
import type { DialectName, Treatment } from "../scenario/settings.js";
import { environmentOf } from "./environment.js";
import type { ExperimentObserver } from "./observer.js";
import { ServerIdentities } from "./server-identities.js";
import { TargetKeeper, type KeptTarget } from "./target-keeper.js";

/** What an interrupted run of the same experiment left. */
interface Earlier {
  readonly environment: Environment;
  readonly trials: readonly { readonly result: TrialResult }[];
}

export class ExperimentHost {
  private readonly targets: KeptTarget[] = [];
  private readonly poolers = new Set<string>();
  private readonly left: string[] = [];
  private readonly keeper: TargetKeeper;
  readonly identities: ServerIdentities;
  /** Those that trials may have made on the target that runs, if it is not ours alone. */
  private readonly namespaces = new Map<string, { dialect: DialectName; claim: NamespaceClaim }>();
  private keepsTables = false;

  constructor(
    treatments: readonly Treatment[],
    private readonly programVersion: string,
    private readonly observer: ExperimentObserver,
    private readonly earlier?: Earlier,
  ) {
    this.identities = new ServerIdentities(earlier?.trials.map(({ result }) => result));
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

  /** What is left on servers, for the result's `diagnosis`. */
  leftEntries(): ResultDocument["diagnosis"] {
    return this.left.map((words) => lintEntry({ rule: "schema-left", words }));
  }

  addPooler(version: string): void {
    this.poolers.add(version);
  }

  environment(): Environment {
    return environmentOf(this.programVersion, this.targets, this.poolers, this.earlier?.environment);
  }

  /** After a failure the tables stay, for whoever looks for its cause. Never rejects. */
  async release(hasFailed: boolean): Promise<void> {
    this.keepsTables = hasFailed;
    await this.keeper.release();
  }

  /** A claim is lost with its connection, as in a server's restart, and somebody else may have it by then. */
  private async claim(namespace: string, { target, dialect }: KeptTarget): Promise<void> {
    const before = this.namespaces.get(namespace)?.claim;
    if (await before?.isHeld()) return;
    this.namespaces.delete(namespace);
    await before?.release();
    const claim = await claimNamespace(target.admin, namespace, dialectOf(dialect));
    this.namespaces.set(namespace, { dialect, claim });
  }

  private async leave(ending: KeptTarget): Promise<void> {
    for (const [namespace, { dialect }] of [...this.namespaces]) {
      if (!this.keepsTables) await this.drop(namespace, { ...ending, dialect });
      await this.namespaces.get(namespace)?.claim.release();
    }
    this.namespaces.clear();
  }

  /** What cannot be dropped stays, and is named: it is no reason to lose what was measured. */
  private async drop(namespace: string, ending: KeptTarget): Promise<void> {
    try {
      await this.claim(namespace, ending);
      await dropNamespace(ending.admin, namespace, dialectOf(ending.dialect));
    } catch (error) {
      const words = `schema "${namespace}" stays on the server, since it could not be dropped: ${messageOf(error)}`;
      const told = `${words}. \`train-sim schema drop\` takes it away`;
      this.observer.note(`warning: ${told}`);
      this.left.push(told);
    }
  }
}

// There is a proxy only where a fault needs one, and train-sim's own connections never go through it.
import type { Endpoint } from "../../database/endpoint.js";
import type { NetworkPlace } from "../../faults/fault.js";
import { databaseOfDialect } from "../../database/registry.js";
import { workloadOf } from "../../workloads/registry.js";
import { networkPlacesOf } from "../../scenario/fault-context.js";
import type { Network } from "../../faults/means/network.js";
import { arePoolersAtAgents } from "../../pools/registry.js";
import { LOCAL_WORKER_PLACE } from "../workers/worker-thread.js";
import type { FailureSignal } from "./failure-signal.js";
import { openPooler } from "./pooler.js";
import { PoolerWatch } from "./pooler-watch.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

export class ClientPath {
  readonly networks: Partial<Record<NetworkPlace, Network>> = {};
  private runningPooler: RunningPooler | undefined;
  private ends: readonly Endpoint[] = [];
  private unproxiedEndpoints: readonly Endpoint[] = [];
  private watch: PoolerWatch | undefined;
  /** Settings of the user's own pooler as its console states them; empty without a pooler of the user. */
  poolerSettings: Readonly<Record<string, string>> = {};

  constructor(
    private readonly host: Pick<TrialHost, "target" | "place" | "onPooler">,
    private readonly inputs: Pick<TrialInputs, "trial" | "treatment">,
    private readonly failures: FailureSignal,
  ) {}

  /** Opens network and poolers between clients and server. Rejects when a part fails; `close` closes the rest. */
  async open(): Promise<void> {
    const { host, failures } = this;
    const { settings } = this.inputs.treatment;
    const servers = this.servers();
    await this.routeStandbys();
    const upstreams = await this.endpointsBefore("pooler", servers);
    const pooler = await openPooler({ endpoints: upstreams, auth: host.target.auth }, settings, host.place);
    this.runningPooler = pooler;
    if (pooler) {
      this.watch = new PoolerWatch(pooler);
      for (const lost of [pooler.lost, this.watch.lost]) failures.watchServer("the pooler", lost);
      const version = (await pooler.askVersion()) ?? "unknown version";
      this.poolerSettings = (await pooler.askSettings?.()) ?? {};
      host.onPooler({ product: pooler.product, version });
    }
    this.unproxiedEndpoints = pooler?.endpoints ?? servers;
    this.ends = await this.endpointsBefore("clients", this.unproxiedEndpoints);
    if (this.knowsOneAddress)
      host.target.replication?.onPromotion(async (primary) => this.networks.clients?.redirect([primary]));
  }

  /** The watch on the pooler; undefined without a pooler. */
  get poolerWatch(): PoolerWatch | undefined {
    return this.watch;
  }

  /** Receives the workers' connection attempts and passes them to the pooler's watch. */
  readonly onContacts: PoolerWatch["addContacts"] = (...heard) => this.watch?.addContacts(...heard);

  get pooler(): RunningPooler | undefined {
    return this.runningPooler;
  }

  get endpoints(): readonly Endpoint[] {
    return this.ends;
  }

  /** The clients' endpoints in the same order, as results name them: the proxy of a network fault is not named. */
  get namedEndpoints(): readonly Endpoint[] {
    return this.unproxiedEndpoints;
  }

  /** Breaks connections that still use the path and removes everything that was opened. Never rejects. */
  async close(): Promise<void> {
    if (this.knowsOneAddress) this.host.target.replication?.onPromotion();
    await this.runningPooler?.stop();
    if (this.networks.replication) await this.host.target.replication?.route().catch(() => undefined);
    await Promise.all(Object.values(this.networks).map((network) => network.close()));
  }

  private get knowsOneAddress(): boolean {
    return workloadOf(this.inputs.treatment.settings).knowsOneAddress === true;
  }

  /** Endpoints of the servers; the search path holds the workload's schema if statements name tables without it. */
  private servers(): readonly Endpoint[] {
    const { settings } = this.inputs.treatment;
    const { endpoints, replication } = this.host.target;
    if (this.knowsOneAddress && replication) return [replication.primaryEndpoint];
    if (!workloadOf(settings).isUnqualified) return endpoints;
    const { namespaces } = databaseOfDialect(settings.dialect);
    return endpoints.map((endpoint) => namespaces.endpointIn(endpoint, settings.namespace, settings.dialect));
  }

  private async routeStandbys(): Promise<void> {
    const { replication, endpoints } = this.host.target;
    const ends = await this.endpointsBefore("replication", endpoints);
    if (ends !== endpoints) await replication?.route(ends);
  }

  private async endpointsBefore(
    place: NetworkPlace,
    endpoints: readonly Endpoint[],
  ): Promise<readonly Endpoint[]> {
    const { treatment, trial } = this.inputs;
    if (!networkPlacesOf(treatment.settings).includes(place)) return endpoints;
    const isNetworkAtClients = place === "clients" || arePoolersAtAgents(treatment.settings.pool);
    const where = isNetworkAtClients ? this.host.place : LOCAL_WORKER_PLACE;
    const network = await where.openNetwork(place, endpoints, trial.seed);
    this.networks[place] = network;
    this.failures.watchServer("the proxy of the network", network.lost);
    return network.endpoints;
  }
}

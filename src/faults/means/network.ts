// A thread with one proxy per endpoint, used only if a scenario has a network fault: a round trip costs tens of us more.
// A thread that ends on its own is reported like a server that went away.
import { Worker } from "node:worker_threads";
import { builtUrl } from "../../foundation/built.js";
import { messageOf, TargetError } from "../../foundation/errors.js";
import type { Endpoint } from "../../database/endpoint.js";
import { databaseOf } from "../../database/registry.js";
import type { NetworkCondition } from "./condition.js";
import type { NetworkAnswer, NetworkCommand, NetworkPlan } from "./protocol.js";
import type { NetworkEffect } from "./tcp-proxy.js";

export interface Network {
  readonly endpoints: readonly Endpoint[];
  /** Sets a condition; resolves with the effect that it has at once. */
  apply(condition: NetworkCondition): Promise<NetworkEffect>;
  /** Clears the condition; resolves with the effect that it had in all. */
  clear(): Promise<NetworkEffect>;
  /** Leads new connections to other servers, one for each endpoint, and resets the open connections. */
  redirect(upstreams: readonly Endpoint[]): Promise<NetworkEffect>;
  /** Resolves with the reason if the network's thread ends by itself. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
}

export async function openNetwork(upstreams: readonly Endpoint[], seed: number): Promise<Network> {
  const thread = new NetworkThread({ upstreams: socketsOf(upstreams), seed });
  const ports = await thread.awaitListeningPorts();
  return {
    endpoints: upstreams.map((upstream, index) => proxiedEndpoint(upstream, ports[index] ?? 0)),
    apply: (condition) => thread.ask({ kind: "suffer", condition }),
    clear: () => thread.ask({ kind: "mend" }),
    redirect: (others) => thread.ask({ kind: "redirect", upstreams: socketsOf(others) }),
    lost: thread.lost,
    close: () => thread.close(),
  };
}

const socketsOf = (upstreams: readonly Endpoint[]): NetworkPlan["upstreams"] =>
  upstreams.map((upstream) => databaseOf(upstream).socketOf(upstream));

class NetworkThread {
  readonly lost: Promise<string>;
  private readonly worker: Worker;
  private settleAnswer: (answer: NetworkAnswer) => void = () => undefined;
  private isClosing = false;
  /** The last command; the next waits for it, so that commands run one after the other. */
  private lastRequest: Promise<unknown> = Promise.resolve();

  constructor(plan: NetworkPlan) {
    this.worker = new Worker(builtUrl("./network-entry.js", import.meta.url), {
      workerData: plan,
      name: "network",
    });
    this.worker.unref();
    this.worker.on("message", (answer: NetworkAnswer) => this.settleAnswer(answer));
    this.lost = new Promise((resolve) => {
      this.worker.once("error", (error) => resolve(messageOf(error)));
      this.worker.once("exit", (code) => {
        if (!this.isClosing) resolve(`its thread ended (exit code ${code})`);
      });
    });
  }

  async awaitListeningPorts(): Promise<readonly number[]> {
    const answer = await this.answer();
    return answer.kind === "listening" ? answer.ports : [];
  }

  ask(command: NetworkCommand): Promise<NetworkEffect> {
    const asked = this.lastRequest.then(async () => {
      const answer = this.answer();
      this.worker.postMessage(command);
      const response = await answer;
      if (response.kind !== "done")
        throw new Error(`the network answered ${command.kind} with ${response.kind}`);
      return response.effect;
    });
    this.lastRequest = asked.catch(() => undefined);
    return asked;
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    await this.ask({ kind: "close" }).catch(() => undefined);
    await this.worker.terminate();
  }

  private async answer(): Promise<NetworkAnswer> {
    const response = new Promise<NetworkAnswer>((resolve) => (this.settleAnswer = resolve));
    const gone = this.lost.then((reason): NetworkAnswer => ({ kind: "failed", reason }));
    const answer = await Promise.race([response, gone]);
    if (answer.kind !== "failed") return answer;
    throw new TargetError(`the proxy of the network failed: ${answer.reason}`);
  }
}

/**
 * Endpoint of a proxy in front of an endpoint. TLS passes unaltered, so the certificate is checked for the server's name; a
 * Unix socket has no TLS.
 */
function proxiedEndpoint({ tls, host, ...rest }: Endpoint, port: number): Endpoint {
  const named = tls && !host.startsWith("/") ? { tls: { serverName: host, ...tls } } : {};
  return { ...rest, ...named, host: "127.0.0.1", port };
}

// The network's thread, with one proxy per endpoint. The coordinator's own work would delay bytes on the main thread.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../foundation/clock.js";
import { messageOf } from "../../foundation/errors.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { NetworkAnswer, NetworkCommand, NetworkPlan } from "./protocol.js";
import { sumOfEffects, TcpProxy } from "./tcp-proxy.js";

const port = parentPort;
if (!port) throw new Error("network-entry is the entry of a worker thread; it cannot be run by itself");

const { upstreams, seed } = workerData as NetworkPlan;
const answer = (answer: NetworkAnswer): void => port.postMessage(answer);

const proxies = await Promise.all(
  upstreams.map((upstream, index) =>
    TcpProxy.open(upstream, systemClock, new Prng(deriveSeed(seed, "network", index))),
  ),
);
answer({ kind: "listening", ports: proxies.map((proxy) => proxy.port) });

async function execute(command: NetworkCommand): Promise<void> {
  const all = (act: (proxy: TcpProxy) => Promise<void>): Promise<unknown> => Promise.all(proxies.map(act));
  if (command.kind === "suffer") await all((proxy) => proxy.apply(command.condition));
  else if (command.kind === "mend") await all((proxy) => proxy.clear());
  else if (command.kind === "redirect")
    for (const [index, upstream] of command.upstreams.entries()) proxies[index]?.redirect(upstream);
  else await all((proxy) => proxy.close());
  answer({ kind: "done", effect: sumOfEffects(proxies.map(({ effect }) => effect)) });
  if (command.kind === "close") port?.close();
}

port.on("message", (command: NetworkCommand) => {
  execute(command).catch((error: unknown) => answer({ kind: "failed", reason: messageOf(error) }));
});

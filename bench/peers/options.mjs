// The command line of `peers.mjs`: lists of payloads, client counts and peers, whole numbers, --short. A wrong argument
// ends the bench with 104, the exit code of train-sim itself.
import { parseArgs } from "node:util";
import { fail, listOf, wholeNumber } from "../options.mjs";

const PAYLOADS = ["text", "jsonb-manual", "jsonb", "text-generated"];
const DEFAULTS = {
  rounds: 5,
  seconds: 8,
  "warm-up": 20,
  payloads: "text,jsonb-manual,jsonb",
  clients: "8,64",
};
const SHORT = { rounds: 2, seconds: 3, "warm-up": 3, payloads: "text", clients: "8" };

export function readPeerOptions(peers) {
  const texts = ["rounds", "seconds", "warm-up", "payloads", "clients", "peers", "json", "seed"];
  /** @type {Record<string, any>} */
  let values = {};
  try {
    const options = Object.fromEntries(texts.map((name) => [name, { type: "string" }]));
    ({ values } = parseArgs({ options: { ...options, short: { type: "boolean" } } }));
  } catch (error) {
    fail(error.message);
  }
  /** @type {Record<string, any>} */
  const given = { seed: "1", peers: peers.join(","), ...(values.short ? SHORT : DEFAULTS), ...values };
  return {
    rounds: wholeNumber(given.rounds, "rounds"),
    seconds: wholeNumber(given.seconds, "seconds"),
    warmUpSeconds: wholeNumber(given["warm-up"], "warm-up"),
    payloads: listOf(given.payloads, "payloads", PAYLOADS),
    clients: String(given.clients)
      .split(",")
      .map((text) => wholeNumber(text, "clients")),
    peers: listOf(given.peers, "peers", peers),
    seed: wholeNumber(given.seed, "seed"),
    json: given.json,
  };
}

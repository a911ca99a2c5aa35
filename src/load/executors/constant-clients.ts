// `constant-clients`: each client runs one iteration after the other.
import { closedLoop } from "./closed-loop.js";
import { defineExecutor } from "./executor.js";

export const constantClients = defineExecutor({
  name: "constant-clients",
  description: "every client works for the whole trial",
  isOpenLoop: false,
  continuesIntoWindow: true,
  keys: ({ clients, thinkTime, rampUp }) => ({
    clients,
    thinkTime: thinkTime.optional(),
    rampUp: rampUp.optional(),
  }),
  resolve: (given, { clients, defaultClients }) => ({
    executor: "constant-clients",
    clients: clients ?? given.clients ?? defaultClients,
  }),
  words: () => "",
  warmUp: (plan: { readonly executor: "constant-clients" }) => plan,
  pacer: (context) => closedLoop(context),
});

/** Node's codes of failures of the network, after which a new connection may succeed. */
export const NETWORK_FAILURE_CODES = [
  "ECONNRESET",
  "ECONNREFUSED", // no process listens: the server restarts
  "ECONNABORTED",
  "EPIPE", // a write after the other side hung up
  "ERR_STREAM_DESTROYED", // a write after this side had cut the socket
  "ERR_STREAM_WRITE_AFTER_END",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL", // local ports used up by connections in TIME_WAIT: `reconnect: per-transaction`
  "EAI_AGAIN", // the name service gives no answer for the moment
] as const;

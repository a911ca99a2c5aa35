import { LENGTH_BYTES } from "./direct-call.js";

const QUERY_MESSAGE_TYPE = 0x51;

const messageByText = new Map<string, Buffer>();

export function queryMessage(text: string): Buffer {
  const cachedMessage = messageByText.get(text);
  if (cachedMessage) return cachedMessage;
  const length = LENGTH_BYTES + Buffer.byteLength(text) + 1;
  const message = Buffer.alloc(1 + length);
  message[0] = QUERY_MESSAGE_TYPE;
  message.writeInt32BE(length, 1);
  message.write(text, 1 + LENGTH_BYTES);
  messageByText.set(text, message);
  return message;
}

import fc from "fast-check";
import { expect, it } from "vitest";
import { TransferStream, parseTransferId } from "./transfer.js";

it("the id of a transfer contains its client and number", () => {
  fc.assert(
    fc.property(fc.nat(0xfffff), fc.nat(), fc.integer({ min: 1, max: 20 }), (client, seed, count) => {
      const transfers = new TransferStream({ scale: 1, hotBranch: 0 }, seed, client);
      const drawn = Array.from({ length: count }, () => parseTransferId(transfers.draw().id));
      expect(drawn).toEqual(Array.from({ length: count }, (_, number) => ({ client, number })));
    }),
  );
});

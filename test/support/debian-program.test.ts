// The parts of unpacking Debian's packages that work without a network: the choice of sources.
import { describe, expect, it } from "vitest";
import { parseDeb822Sources, parseOneLineSources, sourcesLine } from "./debian-program.js";

describe("Debian's package sources", () => {
  it("are read from deb822 stanzas if they are enabled and of binary packages", () => {
    const text = [
      "# mirror",
      "Types: deb deb-src\nURIs: http://mirror.test/debian\nSuites: bookworm bookworm-updates\nSigned-By: /keys/debian.gpg",
      "Types: deb\nEnabled: no\nURIs: http://off.test\nSuites: bookworm",
      "Types: deb-src\nURIs: http://source.test\nSuites: bookworm",
    ].join("\n\n");
    expect(parseDeb822Sources(text)).toEqual([
      {
        uri: "http://mirror.test/debian",
        suites: ["bookworm", "bookworm-updates"],
        signedBy: "/keys/debian.gpg",
      },
    ]);
  });

  it("are read from one-line entries", () => {
    const text =
      "# deb http://off.test x main\ndeb [arch=amd64 signed-by=/k.gpg] http://m.test/debian trixie main\ndeb http://n.test sid main\n";
    expect(parseOneLineSources(text)).toEqual([
      { uri: "http://m.test/debian", suites: ["trixie"], signedBy: "/k.gpg" },
      { uri: "http://n.test", suites: ["sid"] },
    ]);
  });

  it("give the line for another suite from a Debian mirror, not from another vendor's", () => {
    const sources = [
      { uri: "http://vendor.test/apt", suites: ["nodistro"] },
      { uri: "http://mirror.test/debian", suites: ["bookworm"], signedBy: "/k.gpg" },
    ];
    expect(sourcesLine("trixie", sources)).toBe(
      "deb [signed-by=/k.gpg] http://mirror.test/debian trixie main\n",
    );
    expect(() => sourcesLine("trixie", sources.slice(0, 1))).toThrow(/no Debian mirror/);
  });
});

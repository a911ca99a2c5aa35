// The output is replayed on a small screen that knows the few sequences in use, so that the tests describe the visible
// text, and not escape codes. The real output was checked in tmux.
import { describe, expect, it } from "vitest";
import { Terminal } from "./terminal.js";

/** A simulated terminal that does not wrap long lines and keeps rows that scroll off the top. */
class Screen {
  columns = 40;
  writes = 0;
  isCursorHidden = false;
  wraps = true;
  private rows: string[] = [""];
  private row = 0;
  private column = 0;

  write(text: string): void {
    this.writes++;
    for (const [token] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|\n|\r|[^\u001b\n\r]+/g)) this.take(token);
  }

  get text(): string {
    return this.rows.join("\n").trimEnd();
  }

  private take(token: string): void {
    if (token === "\r") this.column = 0;
    else if (token === "\n") {
      this.row++;
      this.column = 0;
      this.rows[this.row] ??= "";
    } else if (token === "\u001b[K") this.rows[this.row] = (this.rows[this.row] ?? "").slice(0, this.column);
    else if (token === "\u001b[J") {
      this.rows[this.row] = (this.rows[this.row] ?? "").slice(0, this.column);
      this.rows.length = this.row + 1;
    } else if (/^\u001b\[\d+A$/.test(token)) this.row -= Number(token.slice(2, -1));
    else if (token.startsWith("\u001b[?25")) this.isCursorHidden = token.endsWith("l");
    else if (token.startsWith("\u001b[?7")) this.wraps = token.endsWith("h");
    else if (/^\u001b\[\d+m$/.test(token)) return;
    else {
      const line = this.rows[this.row] ?? "";
      this.rows[this.row] = line.slice(0, this.column) + token + line.slice(this.column + token.length);
      this.column += token.length;
    }
  }
}

describe("a terminal", () => {
  it("draws its frame in place and scrolls lines above the frame", () => {
    const screen = new Screen();
    const terminal = new Terminal(screen);
    terminal.draw(["first line", "second line"]);
    terminal.draw(["1st", "second line", "third"]);
    expect(screen.text).toBe("1st\nsecond line\nthird");
    terminal.addScrollingLine("a note");
    terminal.addScrollingLine("another one");
    terminal.draw(["1st", "2nd"]);
    expect(screen.text).toBe("a note\nanother one\n1st\n2nd");
    terminal.clear();
    expect(screen.text).toBe("a note\nanother one");
  });

  it("restores cursor and line wrapping after each frame, and writes each frame at once", () => {
    const screen = new Screen();
    const terminal = new Terminal(screen);
    for (const line of ["one", "two", "three"]) {
      terminal.draw([line]);
      expect([screen.isCursorHidden, screen.wraps]).toEqual([false, true]);
    }
    expect(screen.writes).toBe(3);
    terminal.draw(["three"]);
    expect(screen.writes).toBe(3);
    terminal.clear();
    terminal.clear();
    expect(screen.writes).toBe(4);
  });

  it("keeps scrolled lines when it ends, also lines that no frame has shown", () => {
    const screen = new Screen();
    const terminal = new Terminal(screen);
    terminal.addScrollingLine("last line");
    terminal.clear();
    expect(screen.text).toBe("last line");
  });

  it("moves up by the rows that lines take after the terminal became narrower", () => {
    let written = "";
    const stream = { columns: 40, write: (text: string) => (written = text) };
    const terminal = new Terminal(stream);
    terminal.draw(["\u001b[1mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\u001b[22m", "short"]);
    stream.columns = 10;
    terminal.draw(["y"]);
    expect(written).toContain("\u001b[4A");
  });
});

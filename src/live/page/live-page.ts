// The document of the live page, for readers without JavaScript, too. It holds only fixed text, so it needs no escaping.
import { html } from "../../report/html/html.js";

export function livePage(): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>train-sim live</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/live.css" />
      <script src="/live.js" defer></script>
    </head>
    <body>
      <main id="live">
        <noscript
          ><p>
            The live view needs JavaScript. The same is on the terminal, and at the end in report.html.
          </p></noscript
        >
        <p id="connecting">Connecting to train-sim…</p>
      </main>
    </body>
  </html>`;
  return `<!doctype html>\n${page.markup}\n`;
}

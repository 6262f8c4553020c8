// Parses the Mermaid diagrams of Markdown files. Prints a line for each diagram, and fails if one cannot be parsed.
import fs from "node:fs";
import { JSDOM } from "jsdom";

const { window } = new JSDOM(""); // mermaid cleans labels by a document
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");

for (const file of process.argv.slice(2)) {
  for (const [, text] of fs.readFileSync(file, "utf8").matchAll(/```mermaid\n([\s\S]*?)```/g)) {
    try {
      const { diagramType } = await mermaid.parse(text);
      console.log(`${file}: ${diagramType}`);
    } catch (e) {
      console.error(`${file}: ${e}`);
      process.exitCode = 1;
    }
  }
}

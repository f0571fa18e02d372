// Writes the reference pages that are generated from the code: `npm run docs`, which builds first.
import { writeFileSync } from "node:fs";
import { commandsMarkdown } from "./docs/commands.mjs";
import { configurationMarkdown } from "./docs/configuration.mjs";
import { errorsMarkdown } from "./docs/errors.mjs";
import { libraryMarkdown, readDeclarations } from "./docs/library.mjs";
import { readCommandTable } from "./docs/command-table.mjs";

const { configJsonSchema, ERRORS } = await import("../dist/index.js");
const pages = {
  commands: commandsMarkdown(await readCommandTable()),
  configuration: configurationMarkdown(configJsonSchema()),
  errors: errorsMarkdown(ERRORS),
  library: libraryMarkdown(readDeclarations(configJsonSchema())),
};
for (const [name, text] of Object.entries(pages)) {
  writeFileSync(new URL(`../docs/reference/${name}.md`, import.meta.url), text);
}

// The resources that the scenarios read and subscribe to.
import { ResourceTemplate } from "@modelcontextprotocol/server";
import { PIXEL } from "./contents.mjs";

export function registerResources(server) {
  const fixed = (name, uri, { mimeType, ...content }) =>
    server.registerResource(name, uri, { description: `${name}.`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  fixed("static-text", "test://static-text", {
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  });
  fixed("static-binary", "test://static-binary", { mimeType: "image/png", blob: PIXEL });
  fixed("watched-resource", "test://watched-resource", { mimeType: "text/plain", text: "Watched resource content." });
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data of an id.", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

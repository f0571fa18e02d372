import { dirname, join, relative } from "node:path";

/**
 * Pages link to files of the repository that are not part of the site. If package.json names the repository, such a
 * link points there; otherwise the link is replaced by its text.
 */
export function outsideLinks(markdown, { docs, root, repository }) {
  const base = addressOf(repository);
  const isOutside = (href, page) =>
    /^\.\.?\//.test(href) && relative(docs, join(docs, dirname(page), href)).startsWith("..");
  markdown.core.ruler.push("outside-links", ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOpen = false;
      for (const token of children ?? []) {
        if (token.type === "link_close" && isOpen) {
          isOpen = false;
          if (base === undefined) token.tag = "span";
        }
        if (token.type !== "link_open") continue;
        const href = token.attrGet("href") ?? "";
        if (!isOutside(href, env.relativePath ?? "")) continue;
        isOpen = true;
        const path = relative(root, join(docs, dirname(env.relativePath), href));
        if (base === undefined) {
          token.tag = "span";
          token.attrs = [];
        } else {
          token.attrSet("href", `${base}/blob/main/${path}`);
        }
      }
    }
  });
}

function addressOf(repository) {
  const url = typeof repository === "string" ? repository : repository?.url;
  const [, path] = /^(?:git\+)?(https:\/\/[^#]+?)(?:\.git)?$/.exec(url ?? "") ?? [];
  return path;
}

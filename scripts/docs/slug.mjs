// Anchors of headings, as GitHub makes them. The site uses the same function, so that a link works in both places.

/** The anchor of one heading, from its Markdown text. */
export function slugOf(heading) {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** The anchors of a page; GitHub and VitePress number repeated headings the same way. */
export function anchorsOf(markdown) {
  const seen = new Map();
  return new Set(
    headingsOf(markdown).map((heading) => {
      const slug = slugOf(heading);
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

export function headingsOf(markdown) {
  return [...withoutFences(markdown).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) => heading);
}

/** The text without fenced code blocks. */
export function withoutFences(markdown) {
  return markdown.replaceAll(/^(```+|~~~+).*\n[\s\S]*?^\1 *$/gm, "");
}

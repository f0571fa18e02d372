// Large documents for the benchmark: the answer of an API with nested objects, an HTML page and a manual in Markdown.

const WORDS =
  "account adapter archive backup balance branch budget cache carrier client cluster column config contract counter customer delay delivery device domain engine event export factor filter folder gateway handler header index invoice journal kernel label ledger library limit machine margin market memory method monitor network notice object option order output packet partner payment planner policy profile project protocol quarter query record region register release report request reserve result route sample schedule schema section sender server service session signal source storage stream supplier support switch system target tenant ticket token traffic transfer update vendor version volume warehouse window worker".split(
    " ",
  );

/** The same words for the same seed. */
export function toSentence(seed, count) {
  let state = (seed * 2_654_435_761) % 4_294_967_296;
  const words = Array.from({ length: count }, () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return WORDS[Math.floor((state / 4_294_967_296) * WORDS.length)];
  });
  const [first, ...others] = words;
  return `${first[0].toUpperCase()}${first.slice(1)} ${others.join(" ")}.`;
}

const userOf = (n) => ({
  login: `${WORDS[n % WORDS.length]}-${n % 613}`,
  id: 5_000_000 + n,
  node_id: `MDQ6VXNlcj${5_000_000 + n}`,
  avatar_url: `https://avatars.example.com/u/${5_000_000 + n}?v=4`,
  url: `https://api.example.com/users/${WORDS[n % WORDS.length]}-${n % 613}`,
  type: n % 40 === 0 ? "Bot" : "User",
  site_admin: false,
});

/** A search for pull requests, as the API of a code host answers it: nested objects, many links and empty members. */
export function toIssues(count) {
  const items = Array.from({ length: count }, (_, n) => ({
    url: `https://api.example.com/repos/acme/app/issues/${n + 1}`,
    id: 1_900_000_000 + n * 17,
    number: n + 1,
    title: toSentence(n, 8),
    user: userOf(n),
    labels: Array.from({ length: n % 4 }, (_label, at) => ({
      id: 800 + at,
      name: WORDS[(n + at) % WORDS.length],
      color: "d73a4a",
      default: at === 0,
    })),
    state: n % 9 === 0 ? "closed" : "open",
    assignee: n % 3 === 0 ? userOf(n + 1) : null,
    milestone: null,
    comments: n % 14,
    created_at: new Date(Date.UTC(2023, 0, 1) + n * 7_200_000).toISOString(),
    body: [toSentence(n + 1, 30), "", `- [x] ${toSentence(n + 2, 9)}`, `- [ ] ${toSentence(n + 3, 9)}`].join("\r\n"),
    reactions: { total_count: n % 5, "+1": n % 5, "-1": 0, laugh: 0, heart: 0 },
    head: {
      ref: `feature/${WORDS[n % WORDS.length]}`,
      sha: (n * 2_654_435_761).toString(16).padStart(40, "a"),
      repo: {
        full_name: `${WORDS[(n * 7) % WORDS.length]}/app`,
        fork: n % 2 === 0,
        owner: userOf(n * 7),
        license: n % 2 === 0 ? { key: "mit", name: "MIT License", spdx_id: "MIT", url: null } : null,
        permissions: { admin: false, maintain: false, push: n % 3 === 0, triage: true, pull: true },
      },
    },
    _links: {
      self: { href: `https://api.example.com/pulls/${n + 1}` },
      html: { href: `https://example.com/${n + 1}` },
    },
  }));
  return { total_count: count, incomplete_results: false, items };
}

/** A shop page with a navigation, scripts, styles and one block of nested elements for each product. */
export function toHtmlPage(count) {
  const script = `<script>window.__DATA__=${JSON.stringify({ ids: Array.from({ length: 150 }, (_, n) => n * 31) })};</script>`;
  const products = Array.from(
    { length: count },
    (_, n) => `<div class="product-card col-md-4" data-id="${n}">
  <div class="product-card__inner">
    <h3 class="product-card__title"><a href="/products/${n}">Product ${n}</a></h3>
    <p class="product-card__text">${toSentence(n, 12)}</p>
    <span class="price" itemprop="price">${(n * 13) % 500}.99 &euro;</span>
    ${n % 500 === 0 ? '<span class="badge badge--sale">Sold out</span>' : ""}
  </div>
</div>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<title>All products</title>
<meta name="description" content="Everything that we sell.">
<style>.product-card{display:flex}.price{font-weight:bold}</style>
${script}
</head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/contact">Contact</a></li></ul></nav>
<main>
<h1>All products</h1>
${products.join("\n")}
</main>
<footer><p>Orders: orders@example.com</p></footer>
</body>
</html>
`;
}

/** A manual: a chapter for every 20 sections, with paragraphs, a list, and every fifth time a table or a code block. */
export function toGuide(count) {
  const sections = Array.from({ length: count }, (_, n) => {
    const chapter = n % 20 === 0 ? `# Chapter ${n / 20 + 1}: ${toSentence(n, 3)}\n\n` : "";
    const extra =
      n % 5 === 0
        ? `| option | default | meaning |\n|---|---|---|\n| ${WORDS[n % 97]} | ${n} | ${toSentence(n, 6)} |\n\n`
        : n % 5 === 2
          ? `\`\`\`sh\nacme ${WORDS[n % 89]} --limit ${n}\n\`\`\`\n\n`
          : "";
    return `${chapter}## Section ${n}: ${toSentence(n + 4, 4)}\n\n${toSentence(n + 1, 60)} ${toSentence(n + 2, 30)}\n\n- ${toSentence(n, 10)}\n- ${toSentence(n + 3, 10)}\n\n${extra}`;
  });
  return `# The acme manual\n\n${sections.join("")}`;
}

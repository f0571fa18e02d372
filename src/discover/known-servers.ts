/** The documented authentication of a public server. */
export interface KnownAccess {
  /** The header that carries the credential; `Authorization` carries it as a bearer token. */
  readonly header?: string;
  readonly variable?: string;
  /** The server also works without a credential, with limits. */
  readonly isOptional?: true;
  /** URL of the page where a user gets the credential. */
  readonly page?: string;
  /** The server requires an OAuth sign-in in the browser. */
  readonly signsIn?: true;
}

const AUTHORIZATION = "Authorization";
const SIGNS_IN: KnownAccess = { signsIn: true };

const CONTEXT7 = { variable: "CONTEXT7_API_KEY", page: "https://context7.com/dashboard", isOptional: true } as const;
const BRAVE = { variable: "BRAVE_API_KEY", page: "https://api-dashboard.search.brave.com" } as const;
const GITHUB = {
  variable: "GITHUB_PERSONAL_ACCESS_TOKEN",
  page: "https://github.com/settings/personal-access-tokens",
} as const;
const STRIPE = { variable: "STRIPE_SECRET_KEY", page: "https://dashboard.stripe.com/apikeys" } as const;
const EXA = { variable: "EXA_API_KEY", page: "https://dashboard.exa.ai/api-keys" } as const;
const TAVILY = { variable: "TAVILY_API_KEY", page: "https://app.tavily.com" } as const;

const HOSTS: ReadonlyMap<string, KnownAccess> = new Map<string, KnownAccess>([
  ["mcp.context7.com", { ...CONTEXT7, header: "CONTEXT7_API_KEY" }],
  ["mcp.brave.com", { ...BRAVE, header: "X-Subscription-Token" }],
  ["api.githubcopilot.com", { ...GITHUB, header: AUTHORIZATION }],
  ["mcp.stripe.com", { ...STRIPE, header: AUTHORIZATION }],
  ["mcp.exa.ai", { ...EXA, header: "x-api-key", isOptional: true }],
  ["mcp.tavily.com", { ...TAVILY, header: AUTHORIZATION }],
  [
    "huggingface.co",
    { header: AUTHORIZATION, variable: "HF_TOKEN", isOptional: true, page: "https://huggingface.co/settings/tokens" },
  ],
  ["mcp.linear.app", SIGNS_IN],
  ["mcp.notion.com", SIGNS_IN],
  ["mcp.sentry.dev", SIGNS_IN],
  ["mcp.figma.com", SIGNS_IN],
  ["mcp.atlassian.com", SIGNS_IN],
  ["mcp.asana.com", SIGNS_IN],
  ["mcp.vercel.com", SIGNS_IN],
  ["mcp.supabase.com", SIGNS_IN],
]);

const PACKAGES: ReadonlyMap<string, KnownAccess> = new Map<string, KnownAccess>([
  ["@upstash/context7-mcp", CONTEXT7],
  ["@modelcontextprotocol/server-brave-search", BRAVE],
  ["@brave/brave-search-mcp-server", BRAVE],
  ["@modelcontextprotocol/server-github", GITHUB],
  ["ghcr.io/github/github-mcp-server", GITHUB],
  ["github-mcp-server", GITHUB],
  ["@modelcontextprotocol/server-gitlab", { variable: "GITLAB_PERSONAL_ACCESS_TOKEN" }],
  [
    "@modelcontextprotocol/server-google-maps",
    { variable: "GOOGLE_MAPS_API_KEY", page: "https://console.cloud.google.com/google/maps-apis" },
  ],
  ["@notionhq/notion-mcp-server", { variable: "NOTION_TOKEN", page: "https://www.notion.so/profile/integrations" }],
  ["@sentry/mcp-server", { variable: "SENTRY_ACCESS_TOKEN" }],
  ["@stripe/mcp", STRIPE],
  ["exa-mcp-server", EXA],
  ["tavily-mcp", TAVILY],
  ["firecrawl-mcp", { variable: "FIRECRAWL_API_KEY", page: "https://www.firecrawl.dev/app/api-keys" }],
  ["figma-developer-mcp", { variable: "FIGMA_API_KEY" }],
]);

/**
 * The documented authentication of a known host. Requires https: with http, an attacker on the network could
 * impersonate the host.
 */
export function knownHost(url: string): KnownAccess | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" ? HOSTS.get(hostname.toLowerCase()) : undefined;
}

/** The documented authentication of the first known package or container image among the words of a command. */
export function knownProgram(words: readonly string[]): KnownAccess | undefined {
  for (const word of words) {
    const found = PACKAGES.get(word.replace(/(?<=.)[@:][^/@]*$/, "").toLowerCase());
    if (found !== undefined) return found;
  }
  return undefined;
}

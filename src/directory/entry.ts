/** A value that a server takes from the user: an environment variable or an HTTP header. */
export interface DirectoryInput {
  readonly name: string;
  readonly isRequired?: boolean | undefined;
  readonly isSecret?: boolean | undefined;
}

/** A command-line argument of a public server. */
export interface DirectoryArgument {
  readonly value: string;
  /** The user must replace the value, for example a path, a URL or a credential. */
  readonly isPlaceholder?: boolean | undefined;
}

/** A tool of a public server. */
export interface DirectoryTool {
  readonly name: string;
  /** Content words of the tool's description, for retrieval only. */
  readonly words: string;
}

/** The package of a public server. */
export interface DirectoryPackage {
  readonly registry: "npm" | "pypi" | "oci";
  readonly identifier: string;
  readonly version?: string | undefined;
  /** Subresource Integrity of the package's tarball, as the package registry states it. */
  readonly integrity?: string | undefined;
}

/** A public MCP server that the user could add. */
export interface DirectoryEntry {
  /** The name of the server's package, or its name in the MCP registry if it has no package of a supported kind. */
  readonly name: string;
  /** The server's name in the MCP registry, if it differs from `name`. */
  readonly registryName?: string | undefined;
  readonly title?: string | undefined;
  readonly description: string;
  /** The package's keywords from its publisher, for retrieval only. */
  readonly keywords?: string | undefined;
  readonly package?: DirectoryPackage | undefined;
  readonly transport: "stdio" | "streamable-http" | "sse";
  readonly arguments: readonly DirectoryArgument[];
  readonly variables: readonly DirectoryInput[];
  readonly remote?: { readonly url: string; readonly headers: readonly DirectoryInput[] } | undefined;
  readonly homepage?: string | undefined;
  readonly tools: readonly DirectoryTool[];
}

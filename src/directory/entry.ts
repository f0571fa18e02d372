/** A value that a server takes from the user: an environment variable or an HTTP header. */
export interface DirectoryInput {
  readonly name: string;
  readonly isRequired?: boolean | undefined;
  readonly isSecret?: boolean | undefined;
}

export interface DirectoryArgument {
  readonly value: string;
  /** The user has to replace the value: it is a path, an address or a credential of theirs. */
  readonly isPlaceholder?: boolean | undefined;
}

export interface DirectoryTool {
  readonly name: string;
  /** Content words of the tool's description, for retrieval only. */
  readonly words: string;
}

export interface DirectoryPackage {
  readonly registry: "npm" | "pypi" | "oci";
  readonly identifier: string;
  readonly version?: string | undefined;
  /** Subresource Integrity of the package's tarball, as the package registry states it. */
  readonly integrity?: string | undefined;
}

/** A public MCP server that the user could add. */
export interface DirectoryEntry {
  /** The name of the server's package, or its name in the MCP registry where it has no package of a known kind. */
  readonly name: string;
  /** Its name in the MCP registry, where that is another one. */
  readonly registryName?: string | undefined;
  readonly title?: string | undefined;
  readonly description: string;
  /** Words under which the publisher lists the package, for retrieval only. */
  readonly keywords?: string | undefined;
  readonly package?: DirectoryPackage | undefined;
  readonly transport: "stdio" | "streamable-http" | "sse";
  readonly arguments: readonly DirectoryArgument[];
  readonly variables: readonly DirectoryInput[];
  readonly remote?: { readonly url: string; readonly headers: readonly DirectoryInput[] } | undefined;
  readonly homepage?: string | undefined;
  readonly tools: readonly DirectoryTool[];
}

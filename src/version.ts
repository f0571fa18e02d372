import manifest from "../package.json" with { type: "json" };

export const PACKAGE: string = manifest.name;
/** The version of this package. */
export const VERSION: string = manifest.version;
